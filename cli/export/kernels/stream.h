/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from how many elements of a stream have come (docs/streaming.md): elements of its time lines, what is held, and the numbers
   that a run gets. Before it come the tables `lines`, `sources`, `readers`, `carries` and `carry_readers`, and how many there are. */

/* Elements so far, by line; the element of its line with which what is held of a carry begins. */
typedef struct progress {
  int64_t received, begun, ended, made[LINES], base[CARRIES];
} progress;

static int64_t down(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
static int64_t up(int64_t a, int64_t b) { return -down(-a, b); }
static int64_t within(int64_t v, int64_t least, int64_t most) { return v > most ? most : v < least ? least : v; }
static int64_t positive(int64_t v) { return v > 0 ? v : 0; }

static int64_t at_end(const line* l, const int64_t* made) {
  const int64_t from = made[sources[l->first]];
  switch (l->kind) {
    case LINE_WINDOW: {
      const int64_t room = from + l->before + l->after - l->extent;
      int64_t n = (l->round_up ? up(room, l->stride) : down(room, l->stride)) + 1;
      if (l->round_up && from + l->before - 1 < (n - 1) * l->stride) --n;
      return positive(n);
    }
    case LINE_TRANSPOSED: return positive((from - 1) * l->stride + l->extent - l->before - l->after);
    case LINE_PADDED: return from + l->before + l->after;
    case LINE_CUT: return positive(from - l->before - l->after);
    case LINE_RESIZED: return from * l->stride;
    default: return from;
  }
}

static int64_t so_far(const line* l, const int64_t* made) {
  const int64_t from = made[sources[l->first]];
  int64_t least = from;
  int s;
  switch (l->kind) {
    case LINE_WINDOW: return within(down(from + l->before - l->extent, l->stride) + 1, 0, at_end(l, made));
    case LINE_TRANSPOSED: return from == 0 ? 0 : within(from * l->stride - l->before, 0, at_end(l, made));
    case LINE_PADDED: return from < l->least ? 0 : from + l->before;
    case LINE_CUT: return at_end(l, made);
    case LINE_RESIZED: return positive(from - l->reach) * l->stride;
    case LINE_ATTENDED: return positive(from - l->reach);
    default: break;
  }
  for (s = 1; s < l->count; ++s)
    if (made[sources[l->first + s]] < least) least = made[sources[l->first + s]];
  return least;
}

/* The first element of the source that is read for element `made` or a later one: with windows that are padded (edges), or not. */
static int64_t needed(const line* l, int64_t made, int edges) {
  switch (l->kind) {
    case LINE_WINDOW:
      if (!edges || l->before < 0) return made * l->stride - l->before;
      return l->stride * positive(made - up(l->before, l->stride));
    case LINE_TRANSPOSED: return positive(up(made + l->before - l->extent + 1, l->stride));
    case LINE_PADDED: return made == 0 ? 0 : positive(made - l->before - l->reach);
    case LINE_CUT: return made + l->before;
    case LINE_RESIZED: return positive(made / l->stride - l->reach);
    case LINE_ATTENDED: return l->before < 0 ? 0 : positive(made - l->before);
    default: return made;
  }
}

static void advance(progress* p, int64_t count, int ends) {
  int l, c, r;
  p->received += count;
  p->begun = 1;
  p->ended = ends;
  p->made[0] = p->received;
  for (l = 1; l < LINE_COUNT; ++l) p->made[l] = ends ? at_end(&lines[l], p->made) : so_far(&lines[l], p->made);
  for (c = 0; c < CARRY_COUNT; ++c) {
    int64_t first = p->made[carries[c].line];
    for (r = 0; r < carries[c].count && !ends; ++r) {
      const reader* const by = &readers[carry_readers[carries[c].first + r]];
      const int64_t made = p->made[by->line], from = by->plain ? made : needed(&lines[by->line], made, 1);
      if (from < first) first = from;
    }
    p->base[c] = first;
  }
}

/* Are all lines as long, that are joined at the end? */
static int ends_well(const progress* p) {
  int l, s;
  for (l = 0; l < LINE_COUNT; ++l)
    for (s = 1; lines[l].kind == LINE_JOINED && s < lines[l].count; ++s)
      if (p->made[sources[lines[l].first + s]] != p->made[sources[lines[l].first]]) return 0;
  return 1;
}

static int64_t number(const number_of* n, const progress* before, const progress* after, int edges) {
  const int of = n->of;
  const reader* r;
  const line* l;
  int64_t done, base, end, first;
  switch (n->what) {
    case NUMBER_MADE: return after->made[of] - before->made[of];
    case NUMBER_KEPT: return after->made[carries[of].line] - after->base[of];
    case NUMBER_FRESH: return before->begun ? 0 : 1;
    case NUMBER_POSITION: return before->made[of];
    case NUMBER_PAD_BEFORE: return before->made[of] == 0 && after->made[of] > 0 ? lines[of].before : 0;
    case NUMBER_PAD_AFTER: return after->ended ? lines[of].after : 0;
    default: break;
  }
  r = &readers[of];
  l = &lines[r->line];
  done = before->made[r->line];
  base = r->carry >= 0 ? before->base[r->carry] : before->made[r->source];
  end = after->made[l->kind == LINE_ATTENDED && !r->plain ? sources[l->first] : r->source];
  first = within(r->plain ? done : needed(l, done, edges), base, end);
  if (n->what == NUMBER_ORIGIN) return first;
  if (n->what == NUMBER_FIRST) return first - base;
  if (n->what == NUMBER_REST) return end - first;
  if (after->made[r->line] == before->made[r->line]) return 0;
  switch (l->kind) { /* results that begin at `first` and were there before */
    case LINE_WINDOW: return done - first / l->stride;
    case LINE_TRANSPOSED: return done + l->before - first * l->stride;
    case LINE_RESIZED: return done - first * l->stride;
    case LINE_PADDED: return done == 0 ? 0 : done - l->before - first;
    default: return 0;
  }
}
