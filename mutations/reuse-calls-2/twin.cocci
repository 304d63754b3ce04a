// A handle is looked at before it is read.
@@
expression c, h, n;
@@
+ c->w->sink += h->opens;
  watch_read(c, h, n);
  watch_close(c, h);
