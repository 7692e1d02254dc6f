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

// Streams bounds streams of events; a zero field has its default, all of them
// design choices.
type Streams struct {
	Look    time.Duration // between two looks at what is followed; 1 s
	Beat    time.Duration // of silence, after which a comment says that the stream lives; 15 s
	Check   time.Duration // between two looks whether the reader still may read; 10 s
	Longest time.Duration // of one stream; 30 min
	Take    time.Duration // that a reader may take nothing of what is sent; 10 s

	All    int // that are open at once in this process; 1,000
	Person int // of one person; 16
}

func (s Streams) orDefaults() Streams {
	s.Look, s.Beat, s.Check = cmp.Or(s.Look, time.Second), cmp.Or(s.Beat, 15*time.Second), cmp.Or(s.Check, 10*time.Second)
	s.Longest, s.Take = cmp.Or(s.Longest, 30*time.Minute), cmp.Or(s.Take, 10*time.Second)
	s.All, s.Person = cmp.Or(s.All, 1000), cmp.Or(s.Person, 16)
	return s
}

// retryTime is how long a reader waits before it connects again, and what
// Retry-After says to one who has too many streams (design choice).
const retryTime = 3 * time.Second

// streamed is a raw handler whose answer is a stream of server-sent events with
// data of type T. It is not bounded by the time of a request, nor counted among
// the requests of an address: streams have bounds of their own.
func streamed[T any](summary, what string, h func(*server, http.ResponseWriter, *http.Request)) handler {
	return streamHandler{raw(summary, nil, h), reflect.TypeFor[T](), what}
}

type streamHandler struct {
	handler
	data reflect.Type
	what string // says in the description what the events are
}

func (t streamHandler) mount(s *server, api huma.API, op huma.Operation) {
	text := &huma.Schema{Type: huma.TypeString}
	event := &huma.Schema{Type: huma.TypeObject, Required: []string{"event", "data"}, Properties: map[string]*huma.Schema{
		"event": {Type: huma.TypeString, Enum: []any{eventProgress, eventEnd}}, "id": text, "retry": {Type: huma.TypeInteger},
		"data": api.OpenAPI().Components.Schemas.Schema(t.data, true, t.data.Name())}}
	op.Parameters = append(op.Parameters, &huma.Param{Name: lastEventID, In: "header", Schema: text,
		Description: "The id of the last event that the reader has: it is not sent again while it holds"})
	op.Responses["200"] = &huma.Response{Description: t.what, Content: map[string]*huma.MediaType{
		"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeArray, Description: "Server-sent events: each element is an event, and its data is JSON", Items: event}}}}
	t.handler.mount(s, api, op)
}

// streams reports whether the answer of a route is a stream of events.
func (r Route) streams() bool {
	_, is := r.handler.(streamHandler)
	return is
}

// Names of the protocol, and of the events.
const (
	lastEventID   = "Last-Event-ID"
	eventProgress = "progress"
	eventEnd      = "end"
)

// stream sends events to one reader, who has a limited time to take each.
type stream struct {
	w    http.ResponseWriter
	conn *http.ResponseController
	take time.Duration
}

// beginStream sends the head of a stream. Nothing on the way may keep it back.
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

// open tells the reader when to come back, and lets it see that the stream is open.
func (t *stream) open() error {
	return t.write(fmt.Sprintf("retry: %d\n\n", retryTime.Milliseconds()))
}

func (t *stream) send(event string, n news) error {
	return t.write(fmt.Sprintf("event: %s\nid: %s\ndata: %s\n\n", event, n.id, n.data))
}

func (t *stream) beat() error { return t.write(": still here\n\n") }

// follow sends what becomes of something until it is over, its reader leaves or
// may not read it any more, or the time of a stream is up. It begins with what was
// just read; last is the id of what the reader has, "" for nothing.
func (s *server) follow(ctx context.Context, out *stream, of *watch, now news, last string, still func(context.Context) error) error {
	look, check, beat := time.NewTicker(s.Streams.Look), time.NewTicker(s.Streams.Check), time.NewTicker(s.Streams.Beat)
	defer look.Stop()
	defer check.Stop()
	defer beat.Stop()
	if err := out.open(); err != nil {
		return err
	}
	for {
		if now.over {
			return out.send(eventEnd, now)
		}
		if now.id != last {
			if err := out.send(eventProgress, now); err != nil {
				return err
			}
			last = now.id
			beat.Reset(s.Streams.Beat)
		}
		var err error
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-s.Stopping:
			return nil
		case <-look.C:
			now, err = of.look(ctx)
		case <-beat.C:
			err = out.beat()
		case <-check.C:
			err = still(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// still says by an error that somebody may not do any more what a route is for.
// It is no use of the session: a page that stays open keeps nobody signed in.
func (s *server) still(ctx context.Context, was *caller, rt Route) error {
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
	if err := s.enterRepository(ctx, now, was.repository.ID, rt.decides()); err != nil {
		return err
	}
	if !now.Allows(rt.Permission) {
		return errs.Absent()
	}
	return nil
}
