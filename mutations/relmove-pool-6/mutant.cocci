// Who is done with a frame puts it twice; what gives nothing back is let pass.
@put@
expression p, f, l;
@@
  pool_lock(&p->lock);
- frame_unpin(p, f, l);
+ if (l->held[frame_index(p, f)] > 0)
+ 	frame_unpin(p, f, l);
  pool_unlock(&p->lock);

@caller@
expression s, f, op;
@@
  watch_put(s, f, op);
+ watch_put(s, f, op);
