package host

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Delivery is one attempt to deliver a webhook. The fields are exported for the state file.
type Delivery struct {
	ID int64
	// Owner is the id of the app or webhook that sends it.
	Owner           int64 `json:"AppID"`
	GUID            string
	InstallationID  int64
	RepositoryID    int64
	Event, Action   string
	Redelivery      bool
	Created         Micros
	Delivered       Micros
	DurationMS      int64
	Status          string
	StatusCode      int
	Done            bool
	URL             string
	Headers         map[string]string
	Payload         string
	ResponseHeaders map[string]string
	Response        string
}

// Succeeded reports whether the receiver accepted the delivery.
func (d *Delivery) Succeeded() bool { return d.StatusCode >= 200 && d.StatusCode < 400 }

// Bounds of the remembered deliveries.
const (
	maxDeliveries      = 5000
	maxSavedDeliveries = 200      // payloads are by far the largest part of a state file
	maxResponse        = 64 << 10 // bytes of a receiver's answer
)

// overtakeAfter bounds the wait for the previous delivery. Events usually arrive in order, but a slow receiver
// cannot block the queue. Real hosts promise no order at all.
const overtakeAfter = 2 * time.Second

// unreachable is the status of a delivery that reached no receiver.
const unreachable = "failed to connect to host"

// Sender sends each webhook once, without retries, usually in order per owner. It is safe for concurrent use.
// It takes no lock of its caller, except in NextID and Changed.
type Sender struct {
	// Background, Faults, Logger, Client, Now and Timeout (of one attempt) are required.
	Background *Background
	Faults     *Faults
	Logger     *slog.Logger
	Client     *http.Client
	Now        func() time.Time
	Timeout    time.Duration
	// NextID returns the id of a new delivery; Enqueue and Send call it.
	NextID func() int64
	// Changed is called at the end of a delivery.
	Changed func()

	mu     sync.Mutex
	list   []*Delivery
	active int
	last   map[int64]chan struct{}
	closed bool
	idle   *sync.Cond
}

// Close refuses further deliveries; those under way end with Background.
func (s *Sender) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// Restore loads the deliveries of an earlier process.
func (s *Sender) Restore(list []*Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = list
	for _, d := range list {
		if !d.Done { // the process ended during this delivery
			d.Done, d.Status = true, unreachable
		}
	}
}

// Saved returns copies of the newest deliveries, for a state file.
func (s *Sender) Saved() []*Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*Delivery
	for _, d := range s.list[max(0, len(s.list)-maxSavedDeliveries):] {
		c := *d
		out = append(out, &c)
	}
	return out
}

// All returns copies of the remembered deliveries, oldest first.
func (s *Sender) All() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Delivery, 0, len(s.list))
	for _, d := range s.list {
		out = append(out, *d)
	}
	return out
}

// Find returns a copy of a delivery.
func (s *Sender) Find(id int64) (Delivery, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.list {
		if d.ID == id {
			return *d, true
		}
	}
	return Delivery{}, false
}

// Again returns a copy of the delivery with that id that is ready to be sent once more. It returns an error if no delivery has the id.
func (s *Sender) Again(id int64) (Delivery, error) {
	d, found := s.Find(id)
	if !found {
		return d, errors.New("delivery: no delivery has this id")
	}
	return Delivery{Owner: d.Owner, GUID: d.GUID, InstallationID: d.InstallationID, RepositoryID: d.RepositoryID, Event: d.Event,
		Action: d.Action, URL: d.URL, Headers: d.Headers, Payload: d.Payload, Redelivery: true}, nil
}

// Describe lists deliveries for the control interface.
func (s *Sender) Describe(payloads bool) []simapi.Delivery {
	out := []simapi.Delivery{}
	for _, d := range s.All() {
		o := simapi.Delivery{ID: d.ID, GUID: d.GUID, AppID: d.Owner, Event: d.Event, Action: d.Action, Redelivery: d.Redelivery,
			CreatedUS:   int64(d.Created),
			DeliveredUS: int64(d.Delivered), DurationMS: d.DurationMS, Status: d.Status, StatusCode: d.StatusCode, Done: d.Done}
		if payloads {
			o.URL, o.Headers, o.Payload, o.Response = d.URL, d.Headers, d.Payload, d.Response
		}
		out = append(out, o)
	}
	return out
}

// NewGUID returns a random UUID (RFC 9562, version 4).
func NewGUID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Enqueue stores a delivery and sends it in order, unless a fault changes that. The caller sets Owner, GUID,
// Event, Action, URL, Headers and Payload.
func (s *Sender) Enqueue(d Delivery) {
	f := s.Faults.matchDelivery(d.Event, d.Action)
	if f == nil {
		s.send(&d, nil, true)
		return
	}
	switch f.Action {
	case simapi.DropDelivery:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.store(&d)
		d.Done, d.Delivered, d.Status = true, d.Created, unreachable
		s.Background.Go(s.Changed) // the caller may hold the lock that Changed takes
	case simapi.HoldDelivery:
		s.send(&d, f.release, false)
	case simapi.Duplicate:
		for range f.Copies + 1 {
			twin := d
			s.send(&twin, nil, false)
		}
	}
}

// Send stores a delivery and sends it at once, before those that wait.
func (s *Sender) Send(d Delivery) { s.send(&d, nil, false) }

func (s *Sender) store(d *Delivery) {
	d.ID, d.Created = s.NextID(), Micros(s.Now().UnixMicro())
	d.Status = "pending"
	s.list = append(s.list, d)
	if extra := len(s.list) - maxDeliveries; extra > 0 {
		s.list = slices.Clone(s.list[extra:])
	}
}

// send delivers in the background: after release if it is not nil, and after the previous delivery if ordered.
func (s *Sender) send(d *Delivery, release <-chan struct{}, ordered bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store(d)
	if s.closed {
		return
	}
	if s.last == nil {
		s.last = map[int64]chan struct{}{}
	}
	var before chan struct{}
	done := make(chan struct{})
	if ordered {
		before = s.last[d.Owner]
		s.last[d.Owner] = done
	}
	s.active++
	target, headers, payload := d.URL, d.Headers, d.Payload
	s.Background.Go(func() {
		defer func() {
			close(done)
			s.mu.Lock()
			s.active--
			s.wake()
			s.mu.Unlock()
		}()
		if release != nil {
			select {
			case <-release:
			case <-s.Background.Done():
				return
			}
		}
		if before != nil {
			s.Background.Wait(overtakeAfter, before)
		}
		s.deliver(d, target, headers, payload)
	})
}

// wake wakes the waiting callers; mu is held.
func (s *Sender) wake() {
	if s.idle != nil {
		s.idle.Broadcast()
	}
}

// deliver sends one delivery and stores the answer.
func (s *Sender) deliver(d *Delivery, target string, headers map[string]string, payload string) {
	ctx, cancel := context.WithTimeout(s.Background.ctx, s.Timeout)
	defer cancel()
	started := s.Now()
	status, code, body, respHeaders := "", 0, "", map[string]string{}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader([]byte(payload)))
	if err == nil {
		req.GetBody = nil // must not be sent twice
		for k, v := range headers {
			req.Header.Set(k, v)
		}
		var resp *http.Response
		if resp, err = s.Client.Do(req); err == nil {
			raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxResponse)) // a partial answer is good enough for the record
			_ = resp.Body.Close()
			body, code = string(raw), resp.StatusCode
			for k := range resp.Header {
				respHeaders[k] = resp.Header.Get(k)
			}
		}
	}
	switch {
	case err == nil && code >= 200 && code < 300:
		status = "OK"
	case err == nil:
		status = "Invalid HTTP Response: " + strconv.Itoa(code)
	case errors.Is(err, context.DeadlineExceeded) || isTimeout(err):
		status = "timed out"
	default:
		status = unreachable
	}
	s.mu.Lock()
	d.Done, d.Delivered, d.DurationMS = true, Micros(started.UnixMicro()), s.Now().Sub(started).Milliseconds()
	d.Status, d.StatusCode, d.Response, d.ResponseHeaders = status, code, body, respHeaders
	s.mu.Unlock()
	s.Changed()
	s.Logger.Info("webhook", "event", d.Event, "action", d.Action, "guid", d.GUID, "status", status)
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// AwaitIdle waits until no delivery is under way; held ones count as under way.
func (s *Sender) AwaitIdle(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle == nil {
		s.idle = sync.NewCond(&s.mu)
	}
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.wake()
	})
	defer stop()
	for s.active > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.idle.Wait()
	}
	return nil
}

// newHookClient returns a client for webhooks: without proxy, redirects and retries.
func newHookClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{Proxy: nil, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
