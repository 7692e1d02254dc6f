package host

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Background runs a simulator's work beside its answers. End ends all of it.
type Background struct {
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// newBackground returns a running background.
func newBackground() *Background {
	b := &Background{}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

// Done is closed when the simulator ends.
func (b *Background) Done() <-chan struct{} { return b.ctx.Done() }

// Go runs f in a goroutine. f must end soon after Done.
func (b *Background) Go(f func()) { b.wg.Go(f) }

// Stop asks everything to end. End also waits for it.
func (b *Background) Stop() { b.cancel() }

// End stops everything and waits for it.
func (b *Background) End() {
	b.cancel()
	b.wg.Wait()
}

// Wait sleeps until the time is over, gone is closed (nil never is) or the simulator ends.
func (b *Background) Wait(d time.Duration, gone <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-gone:
	case <-b.ctx.Done():
	}
}

// exchange is a request that a fault hits.
type exchange struct {
	W http.ResponseWriter
	R *http.Request
	// Apply runs the request. With a lag, lists hide the written objects while [Faults.Lagging] returns true.
	Apply func(lag string) *Reply
	// Finish sends an answer.
	Finish func(*Reply)
	// Fail returns the host's answer to an internal error with that status.
	Fail func(status int) *Reply
	// Canned returns the host's answer for actions that only some hosts have; nil leaves it to the fault's own
	// status and body.
	Canned func(simapi.Fault) *Reply
}

// serve applies a fault to a request.
func (fs *Faults) serve(x exchange, f *Fault) {
	delay := time.Duration(f.DelayMS) * time.Millisecond
	gone := x.R.Context().Done()
	switch f.Action {
	case simapi.Latency:
		fs.bg.Wait(delay, nil)
		x.Finish(x.Apply(""))
	case simapi.Refuse:
		resetConnection(x.W)
	case simapi.ApplyThenStatus:
		x.Apply("")
		x.Finish(x.Fail(StatusOr(f.Status, http.StatusInternalServerError)))
	case simapi.ApplyThenReset:
		x.Apply("")
		resetConnection(x.W)
	case simapi.ApplyThenHang:
		x.Apply("")
		fs.hang(x.W, f, gone)
	case simapi.ApplyLate:
		fs.applyLater(f, delay, x.Apply)
		if f.Status != 0 {
			x.Finish(x.Fail(f.Status))
			return
		}
		fs.hang(x.W, nil, gone)
	case simapi.Hold:
		fs.hold(x, f)
	case simapi.ListLag:
		fs.startLag(f, delay)
		x.Finish(x.Apply(f.ID))
	default:
		x.Finish(canned(x, f))
	}
}

// serveGit applies a fault to a git request; true means that the request ends here. Actions that apply a
// request only hold or delay, because a fetch changes nothing.
func (fs *Faults) serveGit(x exchange, f *Fault) bool {
	switch f.Action {
	case simapi.ListLag:
		return false
	case simapi.Latency:
		fs.bg.Wait(time.Duration(f.DelayMS)*time.Millisecond, nil)
		return false
	case simapi.Hold:
		fs.waiting(f, 1)
		select {
		case <-f.release:
		case <-fs.bg.Done():
		}
		fs.waiting(f, -1)
		if fs.decisionOf(f) == simapi.Apply {
			return false
		}
		resetConnection(x.W)
		return true
	}
	fs.serve(x, f)
	return true
}

func canned(x exchange, f *Fault) *Reply {
	if x.Canned != nil {
		if rep := x.Canned(f.Fault); rep != nil {
			return rep
		}
	}
	rep := &Reply{Status: StatusOr(f.Status, http.StatusServiceUnavailable), Body: []byte(f.ReplyBody)}
	rep.Set("Content-Type", "application/json; charset=utf-8")
	for k, v := range f.Headers {
		rep.Set(k, v)
	}
	return rep
}

// StatusOr returns the status, or otherwise if it is 0.
func StatusOr(status, otherwise int) int {
	if status == 0 {
		return otherwise
	}
	return status
}

// resetConnection closes the connection with a reset instead of an answer.
func resetConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // no hijacking here: net/http closes the connection
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // best effort: the following close then sends RST
	}
	_ = conn.Close()
}

// hang never answers: it waits until the client disconnects, the fault is released or the simulator ends.
func (fs *Faults) hang(w http.ResponseWriter, f *Fault, gone <-chan struct{}) {
	var release <-chan struct{}
	if f != nil {
		release = f.release
		fs.waiting(f, 1)
		defer fs.waiting(f, -1)
	}
	select {
	case <-gone:
	case <-release:
	case <-fs.bg.Done():
	}
	resetConnection(w)
}

// later waits for a delay (without end if 0) or for the release of the fault; true means that the time is
// over.
func (fs *Faults) later(f *Fault, delay time.Duration) (over bool) {
	var timer <-chan time.Time
	if delay > 0 {
		t := time.NewTimer(delay)
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-timer:
		return true
	case <-f.release:
	case <-fs.bg.Done():
	}
	return false
}

// applyLater applies a request after a delay, or on release if the delay is 0, even if the client disconnects.
func (fs *Faults) applyLater(f *Fault, delay time.Duration, apply func(string) *Reply) {
	fs.waiting(f, 1)
	fs.bg.Go(func() {
		defer fs.waiting(f, -1)
		over := fs.later(f, delay)
		select {
		case <-f.release:
			over = over || fs.decisionOf(f) == simapi.Apply
		default:
		}
		if over {
			apply("")
		}
	})
}

func (fs *Faults) hold(x exchange, f *Fault) {
	fs.waiting(f, 1)
	select {
	case <-f.release:
	case <-fs.bg.Done():
	}
	var rep *Reply
	decision := fs.decisionOf(f)
	if decision != simapi.Drop {
		rep = x.Apply("")
	}
	fs.waiting(f, -1) // only now, because a waiting caller may look at the result
	if decision != simapi.Apply {
		resetConnection(x.W)
		return
	}
	x.Finish(rep)
}

// startLag hides the objects that a request writes from lists, for a time or until release.
func (fs *Faults) startLag(f *Fault, delay time.Duration) {
	fs.mu.Lock()
	fs.lags[f.ID] = true
	fs.mu.Unlock()
	fs.bg.Go(func() {
		fs.later(f, delay)
		fs.mu.Lock()
		delete(fs.lags, f.ID)
		fs.mu.Unlock()
	})
}
