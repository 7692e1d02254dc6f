package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
)

// Streams holds the limits of event streams. A zero field has its default. All defaults are design choices.
type Streams struct {
	Run     time.Duration // between two reads of a followed run; 1 s
	Tenant  time.Duration // between two reads of a followed tenant; 2 s
	Beat    time.Duration // of silence before the last event is repeated, which shows that the stream is alive; 15 s
	Check   time.Duration // between two checks of the reader's permission; 10 s
	Outage  time.Duration // for which reads and checks may fail before the stream ends; 30 s
	Longest time.Duration // of one stream; 30 min
	Take    time.Duration // in which a reader can accept no bytes; 10 s

	All    int // open streams of this process; 1,000
	Person int // open streams of one person; 16
}

func (s Streams) orDefaults() Streams {
	s.Run, s.Tenant = cmp.Or(s.Run, time.Second), cmp.Or(s.Tenant, 2*time.Second)
	s.Beat, s.Check, s.Outage = cmp.Or(s.Beat, 15*time.Second), cmp.Or(s.Check, 10*time.Second), cmp.Or(s.Outage, 30*time.Second)
	s.Longest, s.Take = cmp.Or(s.Longest, 30*time.Minute), cmp.Or(s.Take, 10*time.Second)
	s.All, s.Person = cmp.Or(s.All, 1000), cmp.Or(s.Person, 16)
	return s
}

// retryTime is how long a reader waits before it reconnects, and the Retry-After for a reader with too many
// streams (design choice).
const retryTime = 3 * time.Second

// readTime is the longest read or check of a stream (design choice). It is shorter than the time between two beats.
const readTime = 5 * time.Second

// streamed returns a raw handler that answers with server-sent events of the given names, whose data has type
// T. Limits on the duration and number of requests do not apply; streams have separate limits.
func streamed[T any](summary, what string, h func(*server, http.ResponseWriter, *http.Request), names ...any) handler {
	return streamHandler{raw(summary, nil, h), reflect.TypeFor[T](), what, names}
}

type streamHandler struct {
	handler
	data  reflect.Type
	text  string // describes the events
	names []any  // of the events
}

func (t streamHandler) mount(s *server, api huma.API, op huma.Operation) {
	text := &huma.Schema{Type: huma.TypeString}
	event := &huma.Schema{Type: huma.TypeObject, Required: []string{"event", "data"}, Properties: map[string]*huma.Schema{
		"event": {Type: huma.TypeString, Enum: t.names}, "id": text, "retry": {Type: huma.TypeInteger},
		"data": api.OpenAPI().Components.Schemas.Schema(t.data, true, t.data.Name())}}
	op.Parameters = append(op.Parameters, &huma.Param{Name: lastEventID, In: "header", Schema: text,
		Description: "The id of the last event that the reader has: it is not sent again at once if it is still the newest"})
	op.Responses["200"] = &huma.Response{Description: t.text, Content: map[string]*huma.MediaType{
		"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeArray,
			Description: "Server-sent events: each element is an event, and its data is JSON", Items: event}}}}
	t.handler.mount(s, api, op)
}

// streams reports whether the answer of a route is a stream of events.
func (r Route) streams() bool {
	_, is := r.handler.(streamHandler)
	return is
}

// Protocol header, and names of the events.
const (
	lastEventID   = "Last-Event-ID"
	eventProgress = "progress"
	eventChange   = "change"
	eventEnd      = "end"
)

// stream sends events to one reader with a time limit for each.
type stream struct {
	w    http.ResponseWriter
	conn *http.ResponseController
	take time.Duration
}

// beginStream starts a stream and disables buffering by proxies.
func (s *server) beginStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	return &stream{w, http.NewResponseController(w), s.Streams.Take}
}

func (t *stream) write(text string) error {
	if _, err := t.w.Write([]byte(text)); err != nil {
		return err
	}
	if err := t.conn.SetWriteDeadline(time.Now().Add(t.take)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return t.conn.Flush()
}

// open sends the time to wait before reconnecting, which also shows that the stream is open.
func (t *stream) open() error {
	return t.write(fmt.Sprintf("retry: %d\n\n", retryTime.Milliseconds()))
}

func (t *stream) send(event string, n news) error {
	return t.write(fmt.Sprintf("event: %s\nid: %s\ndata: %s\n\n", event, n.id, n.data))
}

// outage tolerates failures for a time, so that one failed query does not end every stream.
type outage struct {
	limit time.Duration
	begun time.Time // of the first failure since the last success; zero without one
}

// tolerate returns the error if it is a refusal, or if failures have lasted too long.
func (o *outage) tolerate(err error) error {
	if err == nil {
		o.begun = time.Time{}
		return nil
	}
	if o.begun.IsZero() {
		o.begun = time.Now()
	}
	if isRefusal(err) || time.Since(o.begun) >= o.limit {
		return err
	}
	return nil
}

// isRefusal reports whether an error will stay, unlike a failed query.
func isRefusal(err error) bool {
	for _, kind := range []errs.Kind{errs.NotFound, errs.Forbidden, errs.Unauthenticated} {
		if errs.Is(err, kind) {
			return true
		}
	}
	return false
}

// subscription is a stream of the states of one target.
type subscription struct {
	target   watchTarget
	event    string        // name of a change
	route    string        // whose permission the reader must keep
	interval time.Duration // between two reads
	load     func(context.Context) (news, error)
}

// follow sends changes, as events with the given name, until the run ends, the reader leaves or loses its
// permission, or the stream's time is over. state is the one just read. last is the id of the reader's last
// event, or "". check returns an error if the reader has lost its permission.
func (s *server) follow(
	ctx context.Context, out *stream, watched *watch, state news, last string, sub subscription, check func(context.Context) error,
) error {
	reads, checks := time.NewTicker(sub.interval), time.NewTicker(s.Streams.Check)
	defer reads.Stop()
	defer checks.Stop()
	failedReads, failedChecks := outage{limit: s.Streams.Outage}, outage{limit: s.Streams.Outage}
	if err := out.open(); err != nil {
		return err
	}
	for sent := time.Now(); ; {
		if state.final {
			return out.send(eventEnd, state)
		}
		if state.id != last || time.Since(sent) >= s.Streams.Beat {
			if err := out.send(sub.event, state); err != nil {
				return err
			}
			last, sent = state.id, time.Now()
		}
		var err error
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-s.Stopping:
			return nil
		case <-reads.C:
			var latest news
			if latest, err = watched.latest(ctx); err == nil {
				state = latest
			}
			err = failedReads.tolerate(err)
		case <-checks.C:
			err = failedChecks.tolerate(s.checkInTime(ctx, check))
		}
		if err != nil {
			return err
		}
	}
}

// checkInTime gives a check of the permission as long as a read, so that the stream goes on.
func (s *server) checkInTime(ctx context.Context, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	return check(ctx)
}

// streamNews answers with a stream of the changes of a target.
func (s *server) streamNews(w http.ResponseWriter, r *http.Request, sub subscription) {
	ctx, c := r.Context(), callerFrom(r.Context())
	if r.URL.RawQuery != "" { // a filter must never be dropped silently
		s.refuse(w, r, &errs.Error{Kind: errs.Invalid, Message: "Something in the request is not as the description says.",
			Fields: []errs.Field{{Pointer: "query", Message: "the route has no parameters"}}})
		return
	}
	exit, err := enterCounters(s.streamsOf, s.streamsAll, c.user.ID)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer exit()
	watched := s.watches.join(sub.target, sub.interval, sub.load)
	defer s.watches.leave(sub.target)
	first, err := watched.latest(ctx)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	out := s.beginStream(w)
	if r.Method == http.MethodHead {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.Streams.Longest)
	defer cancel()
	err = s.follow(ctx, out, watched, first, r.Header.Get(lastEventID), sub,
		func(ctx context.Context) error { return s.checkReader(ctx, c, s.index[sub.route]) })
	if err != nil && ctx.Err() == nil {
		s.Logger.DebugContext(ctx, "a stream of events ended early", "tenant", sub.target.tenant, "run", sub.target.run, "error", err)
	}
}

// checkReader returns an error if the caller may no longer use the route. It does not extend the session, because
// an open page must not keep a person signed in.
func (s *server) checkReader(ctx context.Context, was *caller, rt Route) error {
	session, err := s.Store.SessionByID(ctx, was.session.ID, s.idle(ctx))
	if err != nil {
		return err
	}
	now, err := s.callerOf(ctx, session)
	if err != nil {
		return err
	}
	if err := s.enter(ctx, now, was.tenant.ID); err != nil {
		return err
	}
	if was.repository.ID != "" {
		if err := s.enterRepository(ctx, now, was.repository.ID, rt.decides()); err != nil {
			return err
		}
	}
	if !now.Allows(rt.Permission) {
		return errs.Absent()
	}
	return nil
}
