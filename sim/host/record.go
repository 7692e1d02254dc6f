package host

import (
	"sync"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Recorder keeps every request and every write, in order of arrival. It is safe for concurrent use.
type Recorder struct {
	mu       sync.Mutex
	requests []*simapi.Request
	writes   []simapi.Write
	seq      int64
	writeSeq int64
	changed  chan struct{} // closed and replaced at every change
}

// newRecorder returns an empty record.
func newRecorder() *Recorder { return &Recorder{changed: make(chan struct{})} }

func (r *Recorder) notify() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// Arrive adds a request. From then on, only Update may change it.
func (r *Recorder) Arrive(q *simapi.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	q.Seq = r.seq
	r.requests = append(r.requests, q)
	r.notify()
}

// Update changes records under the lock.
func (r *Recorder) Update(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	r.notify()
}

// Wrote adds a write.
func (r *Recorder) Wrote(w simapi.Write) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeSeq++
	w.Seq = r.writeSeq
	r.writes = append(r.writes, w)
	r.notify()
}

// List returns copies of the requests after a sequence number, and a channel that is closed at the next change.
func (r *Recorder) List(after int64, bodies bool) ([]simapi.Request, <-chan struct{}) {
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

// Writes lists the writes after a sequence number.
func (r *Recorder) Writes(after int64) []simapi.Write {
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

// Clear drops all records; sequence numbers continue.
func (r *Recorder) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests, r.writes = nil, nil
	r.notify()
}
