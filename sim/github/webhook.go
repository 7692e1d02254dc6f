package github

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
)

// delivery is one attempt to deliver a webhook. Server.mu guards it.
type delivery struct {
	ID, AppID       int64
	GUID            string
	InstallationID  int64
	RepositoryID    int64
	Event, Action   string
	Redelivery      bool
	Created         micros
	Delivered       micros
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

// maxDeliveries is how many deliveries are remembered.
const maxDeliveries = 5000

// overtakeAfter is how long a delivery waits for the one before it, so that events usually arrive in order although a
// slow receiver cannot block the queue. The real host promises no order at all.
const overtakeAfter = 2 * time.Second

// hookQueue counts deliveries under way and keeps their usual order per app.
type hookQueue struct {
	mu     sync.Mutex
	active int
	last   map[int64]chan struct{}
	closed bool
}

func (q *hookQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}

func newGUID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// enqueue stores a delivery and sends it. Server.mu is held.
func (s *Server) enqueue(a *app, instID, repoID int64, event, action string, payload obj) {
	if a.WebhookURL == "" {
		return
	}
	d := &delivery{AppID: a.ID, GUID: newGUID(), InstallationID: instID, RepositoryID: repoID, Event: event, Action: action,
		Payload: string(encode(payload))}
	f := s.faults.matchDelivery(event, action)
	if f == nil {
		s.send(a, d, nil, true)
		return
	}
	switch f.Action {
	case simapi.DropDelivery:
		s.storeDelivery(d)
		d.Done, d.Delivered, d.Status = true, d.Created, "failed to connect to host"
	case simapi.HoldDelivery:
		s.send(a, d, f.release, false)
	case simapi.Duplicate:
		for range f.Copies + 1 {
			twin := *d
			s.send(a, &twin, nil, false)
		}
	}
}

func (s *Server) storeDelivery(d *delivery) {
	d.ID, d.Created = s.st.id("delivery"), s.nowMicros()
	d.Status = "pending"
	s.st.Deliveries = append(s.st.Deliveries, d)
	if extra := len(s.st.Deliveries) - maxDeliveries; extra > 0 {
		s.st.Deliveries = append([]*delivery(nil), s.st.Deliveries[extra:]...)
	}
}

// send delivers in the background, after release when that is given, and after the delivery before it when ordered.
// Server.mu is held.
func (s *Server) send(a *app, d *delivery, release <-chan struct{}, ordered bool) {
	s.storeDelivery(d)
	d.URL = a.WebhookURL
	d.Headers = s.hookHeaders(a, d)
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	if s.hooks.closed {
		return
	}
	if s.hooks.last == nil {
		s.hooks.last = map[int64]chan struct{}{}
	}
	var before chan struct{}
	done := make(chan struct{})
	if ordered {
		before = s.hooks.last[a.ID]
		s.hooks.last[a.ID] = done
	}
	s.hooks.active++
	target, headers, payload := d.URL, d.Headers, d.Payload
	s.wg.Go(func() {
		defer func() {
			close(done)
			s.hooks.mu.Lock()
			s.hooks.active--
			s.idle.Broadcast()
			s.hooks.mu.Unlock()
		}()
		if release != nil {
			select {
			case <-release:
			case <-s.ctx.Done():
				return
			}
		}
		if before != nil {
			s.wait(overtakeAfter, before)
		}
		s.deliver(d, target, headers, payload)
	})
}

// hookHeaders are the headers that GitHub sends with a delivery (GitHub docs, "Webhook events and payloads").
func (s *Server) hookHeaders(a *app, d *delivery) map[string]string {
	h := map[string]string{
		"Content-Type": "application/json", "Accept": "*/*", "User-Agent": "GitHub-Hookshot/" + hashHex([]byte(s.base))[:7],
		"X-GitHub-Event": d.Event, "X-GitHub-Delivery": d.GUID, "X-GitHub-Hook-ID": strconv.FormatInt(a.HookID, 10),
		"X-GitHub-Hook-Installation-Target-Type": "integration", "X-GitHub-Hook-Installation-Target-ID": strconv.FormatInt(a.ID, 10),
	}
	if a.WebhookSecret != "" {
		old, sum := hmac.New(sha1.New, []byte(a.WebhookSecret)), hmac.New(sha256.New, []byte(a.WebhookSecret))
		old.Write([]byte(d.Payload))
		sum.Write([]byte(d.Payload))
		h["X-Hub-Signature"] = "sha1=" + hex.EncodeToString(old.Sum(nil))
		h["X-Hub-Signature-256"] = "sha256=" + hex.EncodeToString(sum.Sum(nil))
	}
	return h
}

// deliver sends one delivery and stores what came back. There is no retry, as on the real host.
func (s *Server) deliver(d *delivery, target string, headers map[string]string, payload string) {
	ctx, cancel := context.WithTimeout(s.ctx, s.opt.DeliveryTimeout)
	defer cancel()
	started := s.now()
	status, code, body, respHeaders := "", 0, "", map[string]string{}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader([]byte(payload)))
	if err == nil {
		req.GetBody = nil // nothing may send it twice
		for k, v := range headers {
			req.Header.Set(k, v)
		}
		var resp *http.Response
		if resp, err = s.client.Do(req); err == nil {
			raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what came so far is good enough for the record
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
		status = "failed to connect to host"
	}
	s.mu.Lock()
	d.Done, d.Delivered, d.DurationMS = true, micros(started.UnixMicro()), s.now().Sub(started).Milliseconds()
	d.Status, d.StatusCode, d.Response, d.ResponseHeaders = status, code, body, respHeaders
	s.mu.Unlock()
	s.touch()
	s.log.Info("webhook", "event", d.Event, "action", d.Action, "guid", d.GUID, "status", status)
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// Redeliver sends a delivery again with the same GUID and payload; copies more than 1 are sent at the same time.
func (s *Server) Redeliver(_ context.Context, id int64, copies int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.st.Deliveries {
		if d.ID != id {
			continue
		}
		a := s.st.Apps[d.AppID]
		if a == nil || a.WebhookURL == "" {
			return errors.New("the app of this delivery has no webhook address")
		}
		for range max(1, copies) {
			s.send(a, &delivery{AppID: a.ID, GUID: d.GUID, InstallationID: d.InstallationID, RepositoryID: d.RepositoryID,
				Event: d.Event, Action: d.Action, Redelivery: true, Payload: d.Payload}, nil, false)
		}
		return nil
	}
	return errors.New("delivery: there is none with that id")
}

// WaitDeliveries waits until no delivery is under way; held ones count as under way.
func (s *Server) WaitDeliveries(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		s.hooks.mu.Lock()
		defer s.hooks.mu.Unlock()
		s.idle.Broadcast()
	})
	defer stop()
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	for s.hooks.active > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.idle.Wait()
	}
	return nil
}
