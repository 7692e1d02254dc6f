package github

import (
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
)

// fault is a fault that was set.
type fault struct {
	simapi.FaultState
	path, body *regexp.Regexp
	release    chan struct{}
	decision   string
}

// faultSet holds the faults of requests and of deliveries, in the order in which they were set.
type faultSet struct {
	mu         sync.Mutex
	list       []*fault
	deliveries []*deliveryFault
	next       int
	changed    chan struct{}
}

type deliveryFault struct {
	simapi.DeliveryFault
	hits    int
	release chan struct{}
}

func newFaultSet() *faultSet { return &faultSet{changed: make(chan struct{})} }

func (fs *faultSet) notify() {
	close(fs.changed)
	fs.changed = make(chan struct{})
}

func (fs *faultSet) add(f simapi.Fault) (simapi.FaultState, error) {
	if err := f.Check(); err != nil {
		return simapi.FaultState{}, err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.ID == "" {
		fs.next++
		f.ID = "fault-" + strconv.Itoa(fs.next)
	}
	n := &fault{FaultState: simapi.FaultState{Fault: f}, path: regexp.MustCompile(f.Path), body: regexp.MustCompile(f.Body), release: make(chan struct{})}
	fs.list = append(fs.list, n)
	return n.FaultState, nil
}

func (fs *faultSet) addDelivery(f simapi.DeliveryFault) (simapi.DeliveryFault, error) {
	if err := f.Check(); err != nil {
		return f, err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.ID == "" {
		fs.next++
		f.ID = "fault-" + strconv.Itoa(fs.next)
	}
	fs.deliveries = append(fs.deliveries, &deliveryFault{DeliveryFault: f, release: make(chan struct{})})
	return f, nil
}

// match finds the fault for a request and counts it.
func (fs *faultSet) match(method, path string, body []byte, actor string) *fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.list {
		if f.Method != "" && f.Method != method && (f.Method != "WRITE" || !isWrite(method)) {
			continue
		}
		if (f.Actor != "" && f.Actor != actor) || !f.path.MatchString(path) || !f.body.Match(body) {
			continue
		}
		first, times := max(1, f.Nth), f.Times
		if times == 0 {
			times = 1
		}
		if f.Released || (times > 0 && f.Hits >= times) {
			continue
		}
		f.Seen++
		if f.Seen < first {
			continue
		}
		f.Hits++
		fs.notify()
		return f
	}
	return nil
}

func (fs *faultSet) matchDelivery(event, action string) *deliveryFault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.deliveries {
		times := f.Times
		if times == 0 {
			times = 1
		}
		if (f.Event == "" || f.Event == event) && (f.EventAction == "" || f.EventAction == action) && (times < 0 || f.hits < times) {
			f.hits++
			fs.notify()
			return f
		}
	}
	return nil
}

// state returns the faults (one when id is given) and a channel that is closed at the next change.
func (fs *faultSet) state(id string) ([]simapi.FaultState, <-chan struct{}) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	out := []simapi.FaultState{}
	for _, f := range fs.list {
		if id == "" || f.ID == id {
			out = append(out, f.FaultState)
		}
	}
	return out, fs.changed
}

// releaseID ends what a fault holds; false when there is no such fault. A released fault hits nothing any more.
func (fs *faultSet) releaseID(id, decision string) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	found := false
	for _, f := range fs.list {
		if f.ID == id {
			found = true
			if !f.Released {
				f.Released, f.decision = true, decision
				close(f.release)
			}
		}
	}
	for i, f := range fs.deliveries {
		if f.ID == id {
			close(f.release)
			fs.deliveries = slices.Delete(fs.deliveries, i, i+1)
			found = true
			break
		}
	}
	if found {
		fs.notify()
	}
	return found
}

// releaseAll drops everything that is held and removes all faults.
func (fs *faultSet) releaseAll() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.list {
		if !f.Released {
			f.Released, f.decision = true, simapi.Drop
			close(f.release)
		}
	}
	for _, f := range fs.deliveries {
		close(f.release)
	}
	fs.list, fs.deliveries = nil, nil
	fs.notify()
}

func (fs *faultSet) waiting(f *fault, delta int) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f.Waiting += delta
	fs.notify()
}

func (fs *faultSet) decisionOf(f *fault) string {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.decision == "" {
		return simapi.Apply
	}
	return f.decision
}

// serveFault does to a request what its fault says. apply runs the request.
func (s *Server) serveFault(w http.ResponseWriter, c *call, f *fault, apply func() *reply) {
	delay := time.Duration(f.DelayMS) * time.Millisecond
	gone := c.r.Context().Done()
	switch f.Action {
	case simapi.Latency:
		s.wait(delay, nil)
		s.finish(w, c.r, c.rec, apply())
	case simapi.Refuse:
		s.reset(w)
	case simapi.ApplyThenStatus:
		apply()
		s.finish(w, c.r, c.rec, fail(statusOr(f.Status, http.StatusInternalServerError), "Server Error"))
	case simapi.ApplyThenReset:
		apply()
		s.reset(w)
	case simapi.ApplyThenHang:
		apply()
		s.hang(w, f, gone)
	case simapi.ApplyLate:
		s.applyLater(f, delay, apply)
		if f.Status != 0 {
			s.finish(w, c.r, c.rec, fail(f.Status, "Server Error"))
			return
		}
		s.hang(w, nil, gone)
	case simapi.Hold:
		s.hold(w, c, f, apply)
	case simapi.ListLag:
		s.startLag(f, delay)
		c.lag = f.ID
		s.finish(w, c.r, c.rec, apply())
	default:
		s.finish(w, c.r, c.rec, s.canned(f))
	}
}

// canned is the answer of faults that apply nothing.
func (s *Server) canned(f *fault) *reply {
	now, seconds := s.hostTime(), f.RetrySeconds
	switch f.Action {
	case simapi.SecondaryRetryAfter:
		return secondaryLimit(statusOr(f.Status, 403)).set("Retry-After", strconv.Itoa(seconds))
	case simapi.SecondaryRetryDate:
		return secondaryLimit(statusOr(f.Status, 403)).set("Retry-After", now.Add(time.Duration(seconds)*time.Second).UTC().Format(http.TimeFormat))
	case simapi.SecondaryBodyOnly:
		rep := secondaryLimit(statusOr(f.Status, 403))
		rep.bare = true
		return rep
	case simapi.PrimaryLimit:
		limit, _, _ := s.limitSettings()
		return primaryLimit(statusOr(f.Status, 403), limit, now.Add(time.Duration(seconds)*time.Second))
	case simapi.Forbidden:
		return noAccess()
	case simapi.GraphQLRateLimited:
		return ok(obj{"errors": []obj{{"type": "RATE_LIMITED", "message": "API rate limit exceeded for installation."}}})
	}
	rep := &reply{status: statusOr(f.Status, http.StatusServiceUnavailable), body: []byte(f.ReplyBody)}
	rep.set("Content-Type", "application/json; charset=utf-8")
	for k, v := range f.Headers {
		rep.set(k, v)
	}
	return rep
}

func statusOr(status, otherwise int) int {
	if status == 0 {
		return otherwise
	}
	return status
}

// reset closes the connection with a reset instead of an answer.
func (s *Server) reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the transport cannot be taken over: net/http closes it
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // best effort: the close that follows then sends RST
	}
	_ = conn.Close()
}

// hang never answers: it waits for the client to go, the fault to be released or the server to be closed.
func (s *Server) hang(w http.ResponseWriter, f *fault, gone <-chan struct{}) {
	var release <-chan struct{}
	if f != nil {
		release = f.release
		s.faults.waiting(f, 1)
		defer s.faults.waiting(f, -1)
	}
	select {
	case <-gone:
	case <-release:
	case <-s.ctx.Done():
	}
	s.reset(w)
}

// applyLater applies a request after a delay, or on release when the delay is 0, whatever the client does.
func (s *Server) applyLater(f *fault, delay time.Duration, apply func() *reply) {
	s.faults.waiting(f, 1)
	s.wg.Go(func() {
		defer s.faults.waiting(f, -1)
		var timer <-chan time.Time
		if delay > 0 {
			t := time.NewTimer(delay)
			defer t.Stop()
			timer = t.C
		}
		select {
		case <-timer:
			apply()
		case <-f.release:
			if s.faults.decisionOf(f) == simapi.Apply {
				apply()
			}
		case <-s.ctx.Done():
		}
	})
}

func (s *Server) hold(w http.ResponseWriter, c *call, f *fault, apply func() *reply) {
	s.faults.waiting(f, 1)
	select {
	case <-f.release:
	case <-s.ctx.Done():
	}
	var rep *reply
	decision := s.faults.decisionOf(f)
	if decision != simapi.Drop {
		rep = apply()
	}
	s.faults.waiting(f, -1) // only now: whoever waits for it may look at the result
	if decision != simapi.Apply {
		s.reset(w)
		return
	}
	s.finish(w, c.r, c.rec, rep)
}

// startLag hides what a request writes from lists, for a time or until release.
func (s *Server) startLag(f *fault, delay time.Duration) {
	s.mu.Lock()
	s.lags[f.ID] = true
	s.mu.Unlock()
	s.wg.Go(func() {
		var timer <-chan time.Time
		if delay > 0 {
			t := time.NewTimer(delay)
			defer t.Stop()
			timer = t.C
		}
		select {
		case <-timer:
		case <-f.release:
		case <-s.ctx.Done():
		}
		s.mu.Lock()
		delete(s.lags, f.ID)
		s.mu.Unlock()
	})
}
