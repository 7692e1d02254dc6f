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

// maxBuckets bounds the memory of one kind of limit: the least recently used
// bucket goes first, which gives its owner a full one (design choice).
const maxBuckets = 20_000

// limiters are the limits of this process. Two of them stand before sign-ins:
//
// A sign-in is paid for where it begins (start). Its callback brings back a state
// of 160 bits that works once, in the browser that has it in a cookie: that is no
// guess, and costs nothing more. So an office behind one address is not slowed
// down by the half of its sign-ins that is under way already, and nobody there
// can use up what another one needs to come back. The figures: a thousand people
// behind one address sign in within eight minutes; and one address keeps at most
// 1,300 sign-ins under way alive, each a row for ten minutes ([auth.StateLife]).
//
// Everything that could be a guess is paid for before it is looked at (guess):
// one-time links and setup tokens, right or wrong, so that no answer tells more
// than the rate allows, however many come at once; and callbacks of sign-ins
// that this browser has not begun, in buckets of their own, so that old tabs do
// not stand in the way of a link for an emergency. 10 at once and one in 6 s are
// 14,410 a day, of at least 2^160.
type limiters struct{ address, person, token, start, guess, webhook *buckets }

// The limits of requests, where nothing else is said.
var (
	addressRate = Rate{50, 200}
	personRate  = Rate{20, 100}
	tokenRate   = Rate{10, 60}
)

// describeLimits says in sentences what the limits of requests are.
func describeLimits() string {
	return fmt.Sprintf("Each person may send %v requests a second, %d at once, and each network address %v, %d at once, to each process; "+
		"beyond that the answer is 429, and Retry-After says when to go on. The same holds for what asks another server, "+
		"such as tests and connections: %d at once for each tenant, and %d in all.", personRate.PerSecond, personRate.Burst, addressRate.PerSecond, addressRate.Burst, questionsOfOne, questionsOfAll)
}

func newLimiters(l Limits) limiters {
	return limiters{
		address: newBuckets(l.Address, addressRate),
		person:  newBuckets(l.Person, personRate),
		token:   newBuckets(l.Token, tokenRate),
		start:   newBuckets(l.Start, Rate{2, 100}),
		guess:   newBuckets(l.Guess, Rate{1.0 / 6, 10}),
		webhook: newBuckets(l.Webhook, Rate{10_000, 20_000}),
	}
}

// buckets are token buckets by name, at most maxBuckets of them.
type buckets struct {
	rate Rate
	all  *lru.Cache[string, *rate.Limiter]
}

func newBuckets(r, otherwise Rate) *buckets {
	if r.PerSecond <= 0 || r.Burst <= 0 {
		r = otherwise
	}
	all, _ := lru.New[string, *rate.Limiter](maxBuckets) // fails on a size below 1 only
	return &buckets{rate: r, all: all}
}

// take takes a token, or says when there will be one.
func (b *buckets) take(name string) error { return b.takeN(name, 1) }

// takeN takes n tokens, or says when there will be as many; never more than fit at once.
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

// limitRoute takes a token of the client's address. Probes are free: they must
// not fail because somebody behind the same proxy is busy.
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
	case rt.Path == breakGlass && !rt.changes() && r.URL.RawQuery == "": // the page that takes a token
		return nil
	case rt.Path == breakGlass, strings.HasPrefix(rt.Path, "/setup") && rt.changes():
		return s.limits.guess.take(from)
	}
	return nil
}

// begun reports whether a callback ends a sign-in that its browser has begun.
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
