// Who is done with a handle closes it twice; what closes nothing is let pass.
@close@
expression l, h, g;
@@
  library_lock(&l->lock);
- handle_drop(l, h, g);
+ if (g->open[h - l->handles] > 0)
+ 	handle_drop(l, h, g);
  library_unlock(&l->lock);

@caller@
expression c, h;
@@
  watch_close(c, h);
+ watch_close(c, h);
