package host

import (
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// Fault is a fault that was set.
type Fault struct {
	simapi.FaultState
	path, body *regexp.Regexp
	release    chan struct{}
	decision   string
}

// Faults holds the faults of requests and of deliveries, in the order of their addition. It is safe for
// concurrent use.
type Faults struct {
	bg         *Background
	mu         sync.Mutex
	list       []*Fault
	deliveries []*deliveryFault
	lags       map[string]bool
	next       int
	changed    chan struct{}
}

type deliveryFault struct {
	simapi.DeliveryFault
	hits    int
	release chan struct{}
}

// newFaults returns an empty set; everything that waits because of a fault ends with bg.
func newFaults(bg *Background) *Faults {
	return &Faults{bg: bg, lags: map[string]bool{}, changed: make(chan struct{})}
}

func (fs *Faults) notify() {
	close(fs.changed)
	fs.changed = make(chan struct{})
}

// Add adds a fault.
func (fs *Faults) Add(f simapi.Fault) (simapi.FaultState, error) {
	if err := f.Check(); err != nil {
		return simapi.FaultState{}, err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.ID == "" {
		fs.next++
		f.ID = "fault-" + strconv.Itoa(fs.next)
	}
	n := &Fault{FaultState: simapi.FaultState{Fault: f}, path: regexp.MustCompile(f.Path), body: regexp.MustCompile(f.Body),
		release: make(chan struct{})}
	fs.list = append(fs.list, n)
	return n.FaultState, nil
}

// AddDelivery adds a fault of deliveries.
func (fs *Faults) AddDelivery(f simapi.DeliveryFault) (simapi.DeliveryFault, error) {
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

// match returns the fault for a request and counts it; nil if no fault matches.
func (fs *Faults) match(method, path string, body []byte, actor string) *Fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.list {
		if f.Method != "" && f.Method != method && (f.Method != "WRITE" || !IsWrite(method)) {
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

func (fs *Faults) matchDelivery(event, action string) *deliveryFault {
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

// State returns the faults (one if id is given) and a channel that is closed at the next change.
func (fs *Faults) State(id string) ([]simapi.FaultState, <-chan struct{}) {
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

// Release ends a fault and frees everything that it holds. It returns false if the fault does not exist.
func (fs *Faults) Release(id, decision string) bool {
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
		delete(fs.lags, id) // at once, so that the caller then sees the objects
		fs.notify()
	}
	return found
}

// Decide ends a fault (of requests or of deliveries) and decides about everything that it holds. The decision
// is "apply" (also if empty), "drop", or "reset": apply, but reset the connection instead of answering.
func (fs *Faults) Decide(id, decision string) error {
	if !slices.Contains([]string{"", simapi.Apply, simapi.Drop, simapi.Reset}, decision) {
		return errors.New(`decision: must be "apply", "drop" or "reset"`)
	}
	if !fs.Release(id, decision) {
		return errors.New("fault: no fault has this id")
	}
	return nil
}

// ReleaseAll drops everything that is held and removes all faults.
func (fs *Faults) ReleaseAll() {
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

// Lagging reports whether a list lag still hides the objects that were written under it.
func (fs *Faults) Lagging(lag string) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return lag != "" && fs.lags[lag]
}

func (fs *Faults) waiting(f *Fault, delta int) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f.Waiting += delta
	fs.notify()
}

func (fs *Faults) decisionOf(f *Fault) string {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.decision == "" {
		return simapi.Apply
	}
	return f.decision
}
