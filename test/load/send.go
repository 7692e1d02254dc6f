package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// result is the outcome of one delivery.
type result struct {
	latency   time.Duration // from the due time to the end of the answer; forever for a failure
	lag       time.Duration // delay of the generator itself before sending, connections aside
	status    string        // status code, or a word for a transport error
	repeat    bool          // it repeated an earlier delivery
	duplicate bool          // the answer called it a duplicate
}

// forever stands for the latency of a delivery that was not accepted.
const forever = time.Duration(math.MaxInt64)

type due struct {
	index int
	at    time.Time
	lag   time.Duration
}

// send runs the whole schedule and returns one result per delivery that came
// up before ctx ended.
func send(ctx context.Context, c config) []result {
	client := newClient(c)
	defer client.CloseIdleConnections()
	queue := make(chan due, c.total()) // never full: the schedule does not wait
	results := make([]result, c.total())
	var wg sync.WaitGroup
	for range c.connections {
		wg.Go(func() {
			for d := range queue {
				results[d.index] = one(ctx, client, c, d)
			}
		})
	}
	sent := schedule(ctx, c, queue)
	close(queue)
	wg.Wait()
	return results[:sent]
}

// schedule puts each delivery into the queue at its due time and returns their number.
func schedule(ctx context.Context, c config, queue chan<- due) int {
	start := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for i := range c.total() {
		at := start.Add(time.Duration(float64(i) / c.rate * float64(time.Second)))
		if wait := time.Until(at); wait > 0 {
			timer.Reset(wait)
			select {
			case <-timer.C:
			case <-ctx.Done():
				return i
			}
		} else if ctx.Err() != nil {
			return i
		}
		queue <- due{index: i, at: at, lag: time.Since(at)}
	}
	return c.total()
}

// repeated returns the number of the delivery to send: i, or for the chosen share an earlier one, far
// enough back that it was usually answered.
func repeated(c config, i int) int {
	if c.duplicates == 0 {
		return i
	}
	every := int(math.Round(1 / c.duplicates))
	if i%every != every-1 {
		return i
	}
	return max(0, i-every/2)
}

// one sends a delivery. This program never sends one twice, because the answer to the scheduled
// delivery counts.
func one(ctx context.Context, client *http.Client, c config, d due) result {
	which := repeated(c, d.index)
	r := result{latency: forever, lag: d.lag, repeat: which != d.index}
	del := newDelivery(c, which)
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(del.body))
	if err != nil {
		r.status = "request"
		return r
	}
	req.GetBody = nil // so that the transport cannot repeat it
	for k, v := range headers(c, del) {
		req.Header.Set(k, v)
	}
	res, err := client.Do(req)
	if err != nil {
		r.status = transportError(ctx, err)
		return r
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		r.status = transportError(ctx, err)
		return r
	}
	r.status = strconv.Itoa(res.StatusCode)
	if res.StatusCode/100 != 2 {
		return r
	}
	r.latency = time.Since(d.at)
	var said struct{ Duplicate bool }
	_ = json.Unmarshal(answer, &said) // an answer without a body says nothing
	r.duplicate = said.Duplicate
	return r
}

// headers returns the headers of a GitHub delivery (GitHub documentation, "Webhook events and
// payloads", delivery headers).
func headers(c config, d delivery) map[string]string {
	return map[string]string{
		"Content-Type":                           "application/json",
		"User-Agent":                             "GitHub-Hookshot/load",
		"X-GitHub-Event":                         "pull_request",
		"X-GitHub-Delivery":                      d.guid,
		"X-GitHub-Hook-ID":                       "1",
		"X-GitHub-Hook-Installation-Target-Type": "integration",
		"X-GitHub-Hook-Installation-Target-ID":   "1",
		"X-Hub-Signature-256":                    sign(c.secret, d.body),
	}
}

func transportError(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "timeout"
	}
	if op, ok := err.(interface{ Timeout() bool }); ok && op.Timeout() {
		return "timeout"
	}
	return "connection"
}

// newClient returns a client that reaches loopback addresses only, whatever a name resolves to, and
// follows no redirect.
func newClient(c config) *http.Client {
	dialer := &net.Dialer{Timeout: c.timeout}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			MaxConnsPerHost: c.connections, MaxIdleConnsPerHost: c.connections, MaxIdleConns: c.connections,
			DisableCompression: true,
			DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := dialer.DialContext(ctx, network, addr)
				if err != nil {
					return nil, err
				}
				if tcp, ok := conn.RemoteAddr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
					_ = conn.Close()
					return nil, fmt.Errorf("the address is not on this machine")
				}
				return conn, nil
			},
		},
	}
}
