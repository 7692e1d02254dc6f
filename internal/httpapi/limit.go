package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// maxBuckets is the maximum number of buckets of one limit, to bound memory. The least recently used bucket
// is dropped, and its owner starts with a full one (design choice).
const maxBuckets = 20_000

// limiters holds the limits of this process. Two of them protect sign-ins.
//
// start limits the sign-ins that an address starts. A callback with a valid state costs nothing more,
// because the state has 160 bits, works once, and only in the browser with its cookie. Pending sign-ins
// thus do not slow down other people behind the same address. A thousand people behind one address can sign
// in within eight minutes. One address can have at most 1,300 pending sign-ins, each a row for ten minutes
// ([auth.StateLife]).
//
// guess limits possible guesses before they are checked. One-time links and setup tokens count, right or
// wrong, so that even concurrent requests get no more answers than the rate allows. Callbacks of sign-ins
// that this browser did not start have separate buckets, so that old tabs do not block an emergency link.
// Tokens of invitations count for each person, because only signed-in people send them.
// 10 at once and one in 6 s allow 14,410 guesses a day, among at least 2^160.
type limiters struct{ address, person, token, search, start, guess, webhook *buckets }

// The default limits of requests.
var (
	addressRate = Rate{50, 200}
	personRate  = Rate{20, 100}
	tokenRate   = Rate{10, 60}
	searchRate  = Rate{2, 20} // a search compares many titles, and the palette asks after each pause in typing
)

// describeLimits describes the limits of requests in sentences.
func describeLimits() string {
	return fmt.Sprintf("Each person may send %v requests a second, %d at once, and each network address %v, %d at once, to each process; "+
		"beyond that the answer is 429, and Retry-After says when to go on. The same holds for what asks another server, "+
		"such as tests and connections: %d at once for each tenant, and %d in all.", personRate.PerSecond, personRate.Burst,
		addressRate.PerSecond, addressRate.Burst, questionsOfOne, questionsOfAll)
}

func newLimiters(l Limits) limiters {
	return limiters{
		address: newBuckets(l.Address, addressRate),
		person:  newBuckets(l.Person, personRate),
		token:   newBuckets(l.Token, tokenRate),
		search:  newBuckets(l.Search, searchRate),
		start:   newBuckets(l.Start, Rate{2, 100}),
		guess:   newBuckets(l.Guess, Rate{1.0 / 6, 10}),
		webhook: newBuckets(l.Webhook, Rate{10_000, 20_000}),
	}
}

// buckets holds token buckets by name, at most maxBuckets of them.
type buckets struct {
	rate Rate
	all  *lru.Cache[string, *rate.Limiter]
}

func newBuckets(r, otherwise Rate) *buckets {
	if r.PerSecond <= 0 || r.Burst <= 0 {
		r = otherwise
	}
	all, _ := lru.New[string, *rate.Limiter](maxBuckets) // fails only for a size below 1
	return &buckets{rate: r, all: all}
}

// take takes a token. If the bucket is empty, it returns [errs.RateLimited] with the time until there is
// one.
func (b *buckets) take(name string) error { return b.takeN(name, 1) }

// takeN is like [buckets.take] for n tokens, or for the bucket size if that is less.
func (b *buckets) takeN(name string, n int) error {
	l, ok := b.all.Get(name)
	if !ok {
		l = rate.NewLimiter(rate.Limit(b.rate.PerSecond), b.rate.Burst)
		if earlier, there, _ := b.all.PeekOrAdd(name, l); there {
			l = earlier
		}
	}
	now := time.Now()
	r := l.ReserveN(now, min(n, b.rate.Burst))
	wait := r.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	r.CancelAt(now)
	e := errs.New(errs.RateLimited, "rate_limited", "Too many requests. The header Retry-After says when to go on.")
	e.RetryAfter = wait
	return e
}

// limitRoute takes a token of the client's address. Probes are free, because they must not fail due to load
// from the same proxy.
func (s *server) limitRoute(r *http.Request, rt Route) error {
	from := s.address(r)
	switch {
	case rt.probes():
		return nil
	case rt.auth() == authSignature:
		return s.limits.webhook.take(from)
	}
	if err := s.limits.address.take(from); err != nil {
		return err
	}
	switch {
	case isSignIn(rt) && strings.HasSuffix(rt.Path, "/login"):
		return s.limits.start.take(from)
	case isSignIn(rt):
		begun, err := s.begun(r, rt)
		if err != nil || begun {
			return err
		}
		return s.limits.guess.take("callback " + from)
	case rt.Path == breakGlass && !rt.changes() && r.URL.RawQuery == "": // the form for the token
		return nil
	case rt.Path == breakGlass, strings.HasPrefix(rt.Path, "/setup") && rt.changes():
		return s.limits.guess.take(from)
	}
	return nil
}

// begun reports whether a callback belongs to a sign-in that its browser started.
func (s *server) begun(r *http.Request, rt Route) (bool, error) {
	states := r.URL.Query()["state"]
	if len(states) != 1 {
		return false, nil
	}
	kind := store.StateOIDC
	if strings.HasPrefix(rt.Path, "/auth/codehost/") {
		kind = store.StateCodeHost
	}
	return s.Auth.Begun(r.Context(), kind, states[0], s.binding(r))
}
