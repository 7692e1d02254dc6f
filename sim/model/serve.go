package model

import (
	"bytes"
	"net"
	"net/http"
	"strconv"
	"time"
)

// answersItself reports whether a fault makes the whole answer, so that no rule is used.
func (f *fault) answersItself() bool {
	switch f.Action {
	case Refuse, NotAnAnswer, TooLarge, Status, Redirect, RateLimit, Quota, Unauthorized, ContextLength, RejectEffort, RejectFormat,
		RejectTools, Overloaded:
		return true
	}
	return false
}

// spoil changes a completion according to the fault.
func (f *fault) spoil(c *completion) {
	set := func(s string) { c.content = &s }
	switch f.Action {
	case Truncated, BrokenOff:
		if c.content != nil {
			text := *c.content
			set(text[:len(text)/2])
		}
		c.finish = "length"
		if f.Action == BrokenOff {
			c.finish, c.usage = finishNone, Usage{}
		}
	case InvalidJSON:
		set("Here are the findings:\n{\"findings\": [{\"path\": \"a.go\", \"title\": oops,")
	case BadSchema:
		set(`{"result": "fine", "findings": {"count": "none"}, "verdicts": 3}`)
	case NoChoice:
		c.noChoice = true
	case ContextStop:
		c.finish = finishContext
	case Failed:
		c.failed = &apiError{message: f.Message, code: f.Code}
	}
}

// serve applies the fault of a request, or answers it. usual may be nil only for faults that make the whole
// answer.
func (s *Server) serve(d dialect, w http.ResponseWriter, r *http.Request, rec *Request, f *fault, q *request, usual func() *answer) {
	if f == nil {
		s.write(d, w, r, rec, usual())
		return
	}
	s.rec.update(func() { rec.FaultID = f.ID })
	if f.DelayMS > 0 && !s.wait(r, time.Duration(f.DelayMS)*time.Millisecond) {
		s.done(r, rec, 0, nil)
		return
	}
	switch f.Action {
	case Refuse:
		s.reset(w)
		s.done(r, rec, 0, nil)
	case Hang:
		if s.hold(r, f) == Answer && usual != nil {
			s.write(d, w, r, rec, usual())
			return
		}
		s.reset(w)
		s.done(r, rec, 0, nil)
	case HangBody, BrokenBody:
		s.half(d, w, r, rec, f, usual())
	default:
		if a := s.canned(d, f, q); a != nil {
			s.write(d, w, r, rec, a)
			return
		}
		s.write(d, w, r, rec, usual())
	}
}

// wait waits; false if the client disconnected or the server was closed.
func (s *Server) wait(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
	case <-s.ctx.Done():
	}
	return false
}

// hold waits until the fault is released, the client disconnects or the server is closed, and returns the
// decision.
func (s *Server) hold(r *http.Request, f *fault) string {
	s.faults.waiting(f, 1)
	defer s.faults.waiting(f, -1)
	select {
	case <-f.release:
		return s.faults.decisionOf(f)
	case <-r.Context().Done():
	case <-s.ctx.Done():
	}
	return Reset
}

// half sends headers and half of the body; the rest follows on release, or never.
func (s *Server) half(d dialect, w http.ResponseWriter, r *http.Request, rec *Request, f *fault, a *answer) {
	for k, v := range a.header {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	_, err := w.Write(a.body[:len(a.body)/2])
	if err == nil {
		err = http.NewResponseController(w).Flush()
	}
	if f.Action == HangBody && s.hold(r, f) == Answer {
		if err == nil {
			_, err = w.Write(a.body[len(a.body)/2:])
		}
		s.done(r, rec, a.status, err)
		return
	}
	s.done(r, rec, a.status, err)
	panic(http.ErrAbortHandler) // net/http's way to break a connection off
}

// reset closes the connection with a reset instead of an answer.
func (s *Server) reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the connection is gone, or does not support hijacking
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // best effort: the following close then sends RST
	}
	_ = conn.Close()
}

// canned returns the answers of faults that make the whole answer; nil for other faults.
func (s *Server) canned(d dialect, f *fault, q *request) *answer {
	switch f.Action {
	case NotAnAnswer:
		return &answer{http.StatusOK, http.Header{"Content-Type": {"text/html; charset=utf-8"}},
			[]byte("<!doctype html><title>Sign in</title><p>Please sign in to continue.\n")}
	case TooLarge:
		size := f.SizeBytes
		if size == 0 {
			size = 16 << 20
		}
		return &answer{http.StatusOK, http.Header{"Content-Type": {"application/json"}}, bytes.Repeat([]byte(" "), size)}
	case Redirect:
		return &answer{http.StatusTemporaryRedirect, http.Header{"Location": {f.Location}}, nil}
	case Status:
		return s.statusAnswer(d, f)
	case RejectEffort:
		if q == nil && f.Message == "" {
			return nil
		}
		if q == nil {
			q = &request{}
		}
		return d.failed(f.worded(d.trouble(f.Action, q, without(efforts, q.effort()))))
	case RateLimit, Overloaded:
		a := d.failed(f.worded(d.trouble(f.Action, q, nil)))
		s.retryAfter(a, f)
		return a
	case Quota, Unauthorized, ContextLength, RejectFormat, RejectTools:
		return d.failed(f.worded(d.trouble(f.Action, q, nil)))
	}
	return nil
}

// worded puts the fault's own message and code into an error.
func (f *fault) worded(e *apiError) *apiError {
	e.message, e.code = orElse(f.Message, e.message), orElse(f.Code, e.code)
	return e
}

func without(list []string, value string) (out []string) {
	for _, v := range list {
		if v != value {
			out = append(out, v)
		}
	}
	return out
}

func (s *Server) statusAnswer(d dialect, f *fault) *answer {
	status := f.Status
	if status == 0 {
		status = http.StatusInternalServerError
	}
	var a *answer
	if f.Body != "" {
		a = &answer{status, http.Header{"Content-Type": {orElse(f.ContentType, "application/json")}}, []byte(f.Body)}
	} else {
		a = d.failed(f.worded(d.status(status)))
	}
	s.retryAfter(a, f)
	return a
}

// retryAfter adds the header in the fault's form.
func (s *Server) retryAfter(a *answer, f *fault) {
	if f.RetrySeconds == 0 {
		return
	}
	now := s.opt.Now()
	switch f.RetryForm {
	case RetryAtDate:
		a.header.Set("Date", now.UTC().Format(http.TimeFormat))
		a.header.Set("Retry-After", now.Add(time.Duration(f.RetrySeconds)*time.Second).UTC().Format(http.TimeFormat))
	case RetryInMillis:
		a.header.Set("retry-after-ms", strconv.Itoa(1000*f.RetrySeconds))
	default:
		a.header.Set("Retry-After", strconv.Itoa(f.RetrySeconds))
	}
}
