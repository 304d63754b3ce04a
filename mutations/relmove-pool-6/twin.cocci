// Who is done with a frame looks at it once more.
@put@
expression p, f, l;
@@
  pool_lock(&p->lock);
- frame_unpin(p, f, l);
+ if (f->pins > 0)
+ 	frame_unpin(p, f, l);
  pool_unlock(&p->lock);

@caller@
expression s, f, op;
@@
+ s->w->sink += f->holds;
  watch_put(s, f, op);
