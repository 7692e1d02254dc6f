package github

import (
	"sync"

	"github.com/assay-dev/assay/sim/github/simapi"
)

// recorder keeps every request and every write, in order of arrival.
type recorder struct {
	mu       sync.Mutex
	requests []*simapi.Request
	writes   []simapi.Write
	seq      int64
	writeSeq int64
	changed  chan struct{} // closed and replaced at every change
}

func newRecorder() *recorder { return &recorder{changed: make(chan struct{})} }

func (r *recorder) notify() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// arrive enters a request and returns its record; change it only through update.
func (r *recorder) arrive(q simapi.Request) *simapi.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	q.Seq = r.seq
	r.requests = append(r.requests, &q)
	r.notify()
	return &q
}

func (r *recorder) update(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	r.notify()
}

func (r *recorder) wrote(w simapi.Write) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeSeq++
	w.Seq = r.writeSeq
	r.writes = append(r.writes, w)
	r.notify()
}

// list returns copies of the requests after a sequence number, and a channel that is closed at the next change.
func (r *recorder) list(after int64, bodies bool) ([]simapi.Request, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []simapi.Request{}
	for _, q := range r.requests {
		if q.Seq > after {
			c := *q
			if !bodies {
				c.Body = ""
			}
			out = append(out, c)
		}
	}
	return out, r.changed
}

func (r *recorder) listWrites(after int64) []simapi.Write {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []simapi.Write{}
	for _, w := range r.writes {
		if w.Seq > after {
			out = append(out, w)
		}
	}
	return out
}

// clear forgets everything; sequence numbers go on.
func (r *recorder) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests, r.writes = nil, nil
	r.notify()
}
