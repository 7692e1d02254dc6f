package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// silent opens model keys whose provider does not answer until the test continues.
type silent struct{ began, goOn chan struct{} }

func (s silent) Codec(ctx context.Context, _ domain.Tenant, _ store.Credential) (llm.Client, error) {
	s.began <- struct{}{}
	select {
	case <-s.goOn:
	case <-ctx.Done():
	}
	return nil, errors.New("no model")
}

// Requests to the servers of a tenant have a share per tenant and a bound in total. Tenants that wait for
// many answers leave places to others.
func TestQuestionsToServersOfATenantAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		provider := silent{make(chan struct{}, 100), make(chan struct{})}
		w := newWorld(t, s, func(o *httpapi.Options) { o.Tenant.Opener = provider })
		tenants := map[string]domain.Tenant{admin: w.Tenant, stranger: w.other.Tenant}
		for _, who := range []string{"third", "fourth", "fifth", "sixth"} {
			tenants[who] = storetest.Seed(t, s).Tenant
			w.person(who, false, tenants[who], domain.RoleAdmin)
		}
		path := map[string]string{}
		for who, tenant := range tenants {
			key := store.Credential{ID: domain.NewID("crd"), Name: "silent", Kind: catalog.Compatible, BaseURL: "https://sim.example.com/v1"}
			storetest.Credential(t, s, tenant, key)
			path[who] = "/api/tenants/" + tenant.ID + "/llm-credentials/" + key.ID + "/models"
		}
		var all sync.WaitGroup
		release := sync.OnceFunc(func() { close(provider.goOn); all.Wait() })
		defer release()
		ask := func(who string, n int) {
			for range n {
				all.Go(func() { w.call(who, http.MethodGet, path[who], "") })
				<-provider.began
			}
		}
		refused := func(what, who string) {
			t.Helper()
			got := w.call(who, http.MethodGet, path[who], "")
			testkit.Equal(t, what, fmt.Sprint(got.status, problemOf(t, got), got.header.Get("Retry-After")), "429rate_limited5")
		}
		ask(admin, httpapi.QuestionsOfOne)
		refused("one more of a tenant", admin)
		testkit.Equal(t, "a request to no server", w.call(admin, http.MethodGet, w.tenantPath()+"/llm-credentials", "").status, 200)
		ask(stranger, 2)
		refused("more than half of the rest", stranger)
		for _, who := range []string{"third", "fourth", "fifth"} {
			ask(who, 1)
			refused("a second one of a tenant with one, while few places are left", who)
		}
		refused("one more in total", "sixth")
		release()
		testkit.Equal(t, "afterwards", w.call(admin, http.MethodGet, path[admin], "").status, 200)
	})
}

// A request takes one place with its first question and gives it back at its end. Work that continues after
// the request takes no place.
func TestARequestTakesOnePlaceWithItsFirstQuestion(t *testing.T) {
	t.Parallel()
	take := httpapi.Questions(1, 2)
	refused := func(ask func() error) bool { return errs.Is(ask(), errs.RateLimited) }
	first, leave := take("a")
	second, leaveSecond := take("a")
	testkit.Equal(t, "the first question", first(), nil)
	testkit.Equal(t, "a further one of the same request", first(), nil)
	testkit.Equal(t, "one of another request", refused(second), true)
	leave()
	testkit.Equal(t, "the refused request stays refused", refused(second), true)
	leaveSecond()
	testkit.Equal(t, "work that continues after its request", first(), nil)
	third, leaveThird := take("a")
	defer leaveThird()
	testkit.Equal(t, "the place is free", third(), nil)
}
