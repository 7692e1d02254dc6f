package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/errs"
)

const (
	// takeTime is how long a client can accept no bytes of a piece of an answer before its connection is
	// closed (design choice).
	takeTime = 15 * time.Second

	// takeRate is the minimum rate for a large piece in bytes per second: 1 MiB gets 16 more seconds
	// (design choice).
	takeRate = 64 << 10

	// lingerTime is how long the rest of a refused request's body is read after the answer. Closing the
	// connection earlier could destroy the answer in transit; net/http waits as long for the same reason.
	lingerTime = 500 * time.Millisecond
)

// pace is the outermost handler, so that a slow client cannot hold a connection, even before
// authentication. A body must arrive within s.Timeout, or a shorter time set by the handler. Each piece of
// an answer must be accepted within [takeTime]; a long answer such as an event stream continues as long as
// its client accepts the pieces. A refusal does not wait for the body.
func (s *server) pace(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &paced{ResponseWriter: w, conn: http.NewResponseController(w)}
		if r.ContentLength != 0 {
			_ = p.conn.SetReadDeadline(time.Now().Add(s.Timeout)) // not every writer supports deadlines
			p.body = &pacedBody{ReadCloser: r.Body, conn: p.conn}
			r = r.WithContext(r.Context())
			r.Body = p.body
		}
		next.ServeHTTP(p, r)
	})
}

// paced is an answer with a time limit for each piece.
type paced struct {
	http.ResponseWriter
	conn  *http.ResponseController
	body  *pacedBody // nil without a body
	begun bool
}

// WriteHeader implements [http.ResponseWriter].
func (p *paced) WriteHeader(status int) {
	if status >= http.StatusOK && !p.begun {
		p.begun = true
		if status >= http.StatusBadRequest && p.body != nil && !p.body.over {
			p.Header().Set("Connection", "close")
			_ = p.conn.SetReadDeadline(time.Now().Add(lingerTime))
		}
	}
	p.allow(0)
	p.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (p *paced) Write(piece []byte) (int, error) {
	if !p.begun {
		p.WriteHeader(http.StatusOK)
	}
	p.allow(len(piece))
	return p.ResponseWriter.Write(piece)
}

// allow sets the deadline for the client to accept so many bytes.
func (p *paced) allow(bytes int) {
	_ = p.conn.SetWriteDeadline(time.Now().Add(takeTime + time.Duration(bytes)*time.Second/takeRate))
}

// Unwrap returns the wrapped writer, for [http.ResponseController].
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// pacedBody clears the read deadline at the end of the body, because the deadline would cancel the rest of
// the request's handling.
type pacedBody struct {
	io.ReadCloser
	conn *http.ResponseController
	over bool
}

// Read implements [io.Reader].
func (b *pacedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if errors.Is(err, io.EOF) && !b.over {
		b.over = true
		_ = b.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}

// requestsOf counts concurrent requests by client. The limit on connections is not enough, because all
// connections from a proxy have the same address and only requests identify the clients.
type clientCounter struct {
	most   int
	full   string        // the message of a refusal
	better time.Duration // when a retry is worthwhile

	mu sync.Mutex
	of map[string]int
}

// retryWords ends the message of a temporary refusal.
const retryWords = " The header Retry-After says when to go on."

func newClientCounter(most int, full string, better time.Duration) *clientCounter {
	return &clientCounter{most: most, full: full + retryWords, better: better, of: map[string]int{}}
}

// enter counts another request of a client, or refuses it. Call leave after each accepted one.
func (c *clientCounter) enter(who string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[who] >= c.most {
		return &errs.Error{Kind: errs.RateLimited, Code: "rate_limited", Message: c.full, RetryAfter: c.better}
	}
	c.of[who]++
	return nil
}

// enterCounters counts another request in the counter of its client and in that of all clients, or refuses it.
func enterCounters(of, all *clientCounter, who string) (leave func(), err error) {
	if err := of.enter(who); err != nil {
		return nil, err
	}
	if err := all.enter(""); err != nil {
		of.leave(who)
		return nil, err
	}
	return func() { all.leave(""); of.leave(who) }, nil
}

// questionGate limits concurrent requests to other servers. The first call of ask takes a place, and done
// returns it. After done, ask takes no place, because the work then continues without its request. Both are
// safe for concurrent use.
func (s *server) questionGate(who string) (ask func() error, done func()) {
	var mu sync.Mutex
	leave, over := func() {}, false
	first := sync.OnceValue(func() (err error) {
		var left func()
		if left, err = s.questions.enter(who); err == nil {
			leave = left
		}
		return err
	})
	ask = func() error {
		mu.Lock()
		defer mu.Unlock()
		if over {
			return nil
		}
		return first()
	}
	return ask, func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		leave()
	}
}

func (c *clientCounter) leave(who string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[who]--; c.of[who] <= 0 {
		delete(c.of, who)
	}
}

// questionShares counts concurrent questions to other servers, by tenant and in total. A tenant gets at most half
// of the places that the others leave, but at least one, so that unanswered questions of some tenants leave
// places for others.
type questionShares struct {
	each, all int

	mu  sync.Mutex
	by  map[string]int // tenant
	sum int
}

// enter counts another question of a tenant, or refuses it. Call leave after each accepted one.
func (c *questionShares) enter(who string) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.by[who]
	why := ""
	switch left := c.all - (c.sum - n); {
	case n >= c.each:
		why = fmt.Sprintf("This tenant waits for the answers of %d servers, and asks no more at once. Wait for one of them, then ask again.", n)
	case c.sum >= c.all:
		why = fmt.Sprintf("All tenants together wait for the answers of %d servers, and no more are asked at once. Ask again in "+
			"some seconds.", c.sum)
	case n >= max(1, left/2):
		why = fmt.Sprintf("This tenant waits for the answers of %d servers, and the places that are left are for other tenants. Wait "+
			"for one of them, then ask again.", n)
	}
	if why != "" {
		return nil, &errs.Error{Kind: errs.RateLimited, Code: "rate_limited", Message: why + retryWords, RetryAfter: questionRetry}
	}
	c.by[who]++
	c.sum++
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.sum--
		if c.by[who]--; c.by[who] == 0 {
			delete(c.by, who)
		}
	}), nil
}
