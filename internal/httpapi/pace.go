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
	// takeTime is how long a client may take nothing of a piece of an answer
	// before its connection ends (design choice).
	takeTime = 15 * time.Second

	// takeRate is what a client takes of a large piece in a second at least, in
	// bytes: 1 MiB has 16 seconds more (design choice).
	takeRate = 64 << 10

	// lastLook is how long the rest of a refused request is taken after its
	// answer, so that the end of the connection does not destroy the answer on
	// its way; net/http waits as long for the same reason.
	lastLook = 500 * time.Millisecond
)

// pace stands before everything else, also before who asks is known: no client
// holds a connection by being slow. A body has s.Timeout to arrive, and a shorter
// time where a handler says so. An answer has [takeTime] for each of its pieces:
// one that goes on for long, such as a stream of events, stays as long as its
// client takes what is sent. A refusal does not wait for the body.
func (s *server) pace(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &paced{ResponseWriter: w, conn: http.NewResponseController(w)}
		if r.ContentLength != 0 {
			_ = p.conn.SetReadDeadline(time.Now().Add(s.Timeout)) // not every writer has one
			p.body = &pacedBody{ReadCloser: r.Body, conn: p.conn}
			r = r.WithContext(r.Context())
			r.Body = p.body
		}
		next.ServeHTTP(p, r)
	})
}

// paced is an answer whose client has a limited time for each piece.
type paced struct {
	http.ResponseWriter
	conn  *http.ResponseController
	body  *pacedBody // nil without one
	begun bool
}

// WriteHeader implements [http.ResponseWriter].
func (p *paced) WriteHeader(status int) {
	if status >= http.StatusOK && !p.begun {
		p.begun = true
		if status >= http.StatusBadRequest && p.body != nil && !p.body.over {
			p.Header().Set("Connection", "close")
			_ = p.conn.SetReadDeadline(time.Now().Add(lastLook))
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

// allow gives the client its time for so many bytes.
func (p *paced) allow(bytes int) {
	_ = p.conn.SetWriteDeadline(time.Now().Add(takeTime + time.Duration(bytes)*time.Second/takeRate))
}

// Unwrap is for [http.ResponseController].
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// pacedBody knows whether a body was read to its end. From there on there is no
// deadline: it would end what is still done for the request.
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

// crowd counts what is under way of each one. So the requests of each client are
// bounded: connections are counted where they are accepted, but behind a proxy all
// of them have one address, and only requests tell clients apart.
type crowd struct {
	most   int
	full   string        // says that there are too many
	better time.Duration // when it is worth another try

	mu sync.Mutex
	of map[string]int
}

// retryWords are the end of a refusal that passes by itself.
const retryWords = " The header Retry-After says when to go on."

func newCrowd(most int, full string, better time.Duration) *crowd {
	return &crowd{most: most, full: full + retryWords, better: better, of: map[string]int{}}
}

// enter counts one more, or refuses it. Call leave after each that was let in.
func (c *crowd) enter(who string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[who] >= c.most {
		return &errs.Error{Kind: errs.RateLimited, Code: "rate_limited", Message: c.full, RetryAfter: c.better}
	}
	c.of[who]++
	return nil
}

// enterBoth counts one more of a client in its own crowd and in that of all, or refuses it.
func enterBoth(of, all *crowd, who string) (leave func(), err error) {
	if err := of.enter(who); err != nil {
		return nil, err
	}
	if err := all.enter(""); err != nil {
		of.leave(who)
		return nil, err
	}
	return func() { all.leave(""); of.leave(who) }, nil
}

// question takes a place among the questions to servers that requests have under way, at the first call of ask, and
// gives it back with done. Work that goes on after its request takes none. Both may be called by many goroutines at once.
func (s *server) question(who string) (ask func() error, done func()) {
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

func (c *crowd) leave(who string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[who]--; c.of[who] <= 0 {
		delete(c.of, who)
	}
}

// shares counts the questions to other servers that are under way, of each tenant and in all. A tenant has at most
// half of the places that the others leave, and one at least: the questions of some that are not answered leave
// places to others.
type shares struct {
	each, all int

	mu  sync.Mutex
	by  map[string]int // tenant
	sum int
}

// enter counts one more, or refuses it. Call leave after each that was let in.
func (c *shares) enter(who string) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.by[who]
	why := ""
	switch left := c.all - (c.sum - n); {
	case n >= c.each:
		why = fmt.Sprintf("This tenant waits for the answers of %d servers, and asks no more at once. Wait for one of them, then ask again.", n)
	case c.sum >= c.all:
		why = fmt.Sprintf("All tenants together wait for the answers of %d servers, and no more are asked at once. Ask again in some seconds.", c.sum)
	case n >= max(1, left/2):
		why = fmt.Sprintf("This tenant waits for the answers of %d servers, and the places that are left are for other tenants. Wait for one of them, then ask again.", n)
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
