package model

import (
	"encoding/json"
	"sync"
)

// Limits of the record: the oldest requests first lose their bodies, then are dropped.
const (
	maxRecords   = 10_000
	maxBodyBytes = 64 << 20
)

// Values of a request's key.
const (
	KeyNone  = "none"
	KeyRight = "match"
	KeyWrong = "mismatch"
)

// Request is the record of one request. Times are microseconds since 1970 on the simulator's own clock.
type Request struct {
	Seq       int64  `json:"seq"`
	ArrivedUS int64  `json:"arrivedUs"`
	RepliedUS int64  `json:"repliedUs,omitempty"` // 0 while it is running
	Method    string `json:"method"`
	Path      string `json:"path"`
	// Key is KeyNone, KeyRight or KeyWrong; the key itself is never stored. Without a configured key every key
	// is right.
	Key       string `json:"key"`
	UserAgent string `json:"userAgent,omitempty"`
	Model     string `json:"model,omitempty"`
	Stage     string `json:"stage,omitempty"`
	Effort    string `json:"effort,omitempty"`
	// Format is the type of response_format.
	Format    string `json:"format,omitempty"`
	MaxTokens int    `json:"maxTokens,omitempty"`
	Tools     int    `json:"tools,omitempty"`
	Bytes     int    `json:"bytes"`
	// Body is the request's body, returned only on demand. Old requests lose it.
	Body json.RawMessage `json:"body,omitempty"`
	// Rule and FaultID name the source of the answer; an empty rule means the default answer.
	Rule    string `json:"rule,omitempty"`
	FaultID string `json:"faultId,omitempty"`
	// Status is the status of the answer; 0 if nothing was sent.
	Status int    `json:"status"`
	Usage  *Usage `json:"usage,omitempty"`
	// ClientGone reports whether the client disconnected before the answer could be written.
	ClientGone bool `json:"clientGone,omitempty"`
}

// recorder keeps requests in order of arrival.
type recorder struct {
	mu      sync.Mutex
	list    []*Request
	seq     int64
	bytes   int
	changed chan struct{} // closed and replaced at every change
}

func newRecorder() *recorder { return &recorder{changed: make(chan struct{})} }

func (r *recorder) notify() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// arrive adds a request. Only update may change the returned record.
func (r *recorder) arrive(q Request) *Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	q.Seq = r.seq
	r.list = append(r.list, &q)
	r.bytes += len(q.Body)
	for i := 0; r.bytes > maxBodyBytes && i < len(r.list)-1; i++ {
		r.bytes -= len(r.list[i].Body)
		r.list[i].Body = nil
	}
	if over := len(r.list) - maxRecords; over > 0 {
		for _, old := range r.list[:over] {
			r.bytes -= len(old.Body)
		}
		r.list = append([]*Request(nil), r.list[over:]...)
	}
	r.notify()
	return &q
}

func (r *recorder) update(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	r.notify()
}

func (r *recorder) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list, r.bytes = nil, 0
	r.notify()
}

// since returns copies of the requests after a number, and a channel that is closed at the next change.
func (r *recorder) since(after int64, bodies bool) ([]Request, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []Request{}
	for _, q := range r.list {
		if q.Seq > after {
			c := *q
			if !bodies {
				c.Body = nil
			}
			out = append(out, c)
		}
	}
	return out, r.changed
}
