package httpapi

import (
	"net/http"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/assay-dev/assay/internal/errs"
)

// maxBuckets bounds the memory of one kind of limit: the least recently used
// bucket goes first, which gives its owner a full one (design choice).
const maxBuckets = 20_000

type limiters struct{ address, person, signIn, webhook *buckets }

func newLimiters(l Limits) limiters {
	return limiters{
		address: newBuckets(l.Address, Rate{50, 200}),
		person:  newBuckets(l.Person, Rate{20, 100}),
		signIn:  newBuckets(l.SignIn, Rate{1.0 / 6, 10}),
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
func (b *buckets) take(name string) error {
	l, ok := b.all.Get(name)
	if !ok {
		l = rate.NewLimiter(rate.Limit(b.rate.PerSecond), b.rate.Burst)
		if earlier, there, _ := b.all.PeekOrAdd(name, l); there {
			l = earlier
		}
	}
	now := time.Now()
	r := l.ReserveN(now, 1)
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
	switch {
	case rt.Path == "/healthz" || rt.Path == "/readyz":
		return nil
	case rt.auth() == authSignature:
		return s.limits.webhook.take(s.address(r))
	case (rt.Path == breakGlass || strings.HasPrefix(rt.Path, "/setup")) && rt.changes(), isSignIn(rt):
		if err := s.limits.signIn.take(s.address(r)); err != nil {
			return err
		}
	}
	return s.limits.address.take(s.address(r))
}
