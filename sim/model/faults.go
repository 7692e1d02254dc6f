package model

import (
	"strconv"
	"sync"
)

// fault is a fault that was set.
type fault struct {
	FaultState
	release  chan struct{}
	decision string
}

// faultSet holds faults in the order of their addition.
type faultSet struct {
	mu      sync.Mutex
	list    []*fault
	next    int
	changed chan struct{} // closed and replaced at every change
}

func newFaultSet() *faultSet { return &faultSet{changed: make(chan struct{})} }

func (fs *faultSet) notify() {
	close(fs.changed)
	fs.changed = make(chan struct{})
}

// add adds a fault. A hidden one belongs to a rule: it is released and listed like others, but matches
// nothing.
func (fs *faultSet) add(f Fault, hidden bool) *fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.ID == "" {
		fs.next++
		f.ID = "fault-" + strconv.Itoa(fs.next)
	}
	n := &fault{FaultState: FaultState{Fault: f}, release: make(chan struct{})}
	if hidden {
		n.Hits, n.Seen, n.Times, n.Nth = 1, 1, 1, 1
	}
	fs.list = append(fs.list, n)
	fs.notify()
	return n
}

// match returns the fault for a request (nil for GET /models) and counts it.
func (fs *faultSet) match(on string, q *request) *fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.list {
		where := f.On
		if where == "" {
			where = OnChat
		}
		if where != OnAny && where != on || q != nil && !f.fits(q) {
			continue
		}
		times := f.Times
		if times == 0 {
			times = 1
		}
		if f.Released || times > 0 && f.Hits >= times {
			continue
		}
		f.Seen++
		if f.Seen < f.Nth {
			continue
		}
		f.Hits++
		fs.notify()
		return f
	}
	return nil
}

func (f *fault) fits(q *request) bool {
	switch {
	case f.Action == RejectEffort && q.effort() == "":
		return false
	case f.Action == RejectFormat && q.format != "json_schema":
		return false
	case f.Action == RejectTools && q.tools == 0:
		return false
	}
	return f.Match.matches(q)
}

// states returns the faults (one if id is given) and a channel that is closed at the next change.
func (fs *faultSet) states(id string) ([]FaultState, <-chan struct{}) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	out := []FaultState{}
	for _, f := range fs.list {
		if id == "" || f.ID == id {
			out = append(out, f.FaultState)
		}
	}
	return out, fs.changed
}

// releaseID ends a fault and releases the requests that it holds. It returns false if the id does not exist.
func (fs *faultSet) releaseID(id, decision string) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	found := false
	for _, f := range fs.list {
		if f.ID == id {
			found = true
			f.end(decision)
		}
	}
	fs.notify()
	return found
}

// releaseAll resets everything that is held and removes all faults.
func (fs *faultSet) releaseAll() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.list {
		f.end(Reset)
	}
	fs.list = nil
	fs.notify()
}

func (f *fault) end(decision string) {
	if !f.Released {
		f.Released, f.decision = true, decision
		close(f.release)
	}
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
	return f.decision
}
