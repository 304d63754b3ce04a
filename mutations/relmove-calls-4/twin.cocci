// Who is done with a handle looks at it once more.
@close@
expression l, h, g;
@@
  library_lock(&l->lock);
- handle_drop(l, h, g);
+ if (h->opens > 0)
+ 	handle_drop(l, h, g);
  library_unlock(&l->lock);

@caller@
expression c, h;
@@
+ c->w->sink += h->opens;
  watch_close(c, h);
