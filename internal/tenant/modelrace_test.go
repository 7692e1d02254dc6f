package tenant_test

import (
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// rounds is the number of races. Without the guard a handful is enough on PostgreSQL.
const rounds = 25

// together runs two actions at the same time and counts those that succeeded.
func together(acts ...func() error) (done int) {
	var all sync.WaitGroup
	results := make([]error, len(acts))
	begin := make(chan struct{})
	for i, act := range acts {
		all.Go(func() {
			<-begin
			results[i] = act()
		})
	}
	close(begin)
	all.Wait()
	for _, err := range results {
		if err == nil {
			done++
		}
	}
	return done
}

// Two contradicting actions do not both succeed, whichever comes first.
func TestModelPoliciesDoNotPassWhatTheyContradict(t *testing.T) {
	t.Parallel()
	const hard = `,"budget":{"monthlyMicros":1000,"currency":"USD","mode":"hard"}`
	for name, meet := range map[string]func(t *testing.T, w *featuretest.World) int{
		"a policy that names a key, and its deletion": func(t *testing.T, w *featuretest.World) int {
			id := w.Credential(`{"name":"a","kind":"openai","apiKey":"k"}`).ID
			done := together(
				func() error { _, err := putPolicy(t, w, `{`+tiersOf(id, "gpt-5.4", "high")+`}`); return err },
				func() error { return w.Features.Tenant.DeleteCredential(bg, w.Tenant, id) })
			_, err := putPolicy(t, w, `{}`)
			testkit.OK(t, err)
			_ = w.Features.Tenant.DeleteCredential(bg, w.Tenant, id) // if the policy came first, the key still exists
			return done
		},
		"a policy that restricts regions, and a key that leaves them": func(t *testing.T, w *featuretest.World) int {
			id := w.Credential(`{"name":"a","kind":"compatible","baseUrl":"https://a.example.com/v1","dataRegion":"eu"}`).ID
			done := together(
				func() error {
					_, err := putPolicy(t, w, `{`+tiersOf(id, "m", "high")+`,"allowedRegions":["eu"]}`)
					return err
				},
				func() error { _, err := change(t, w, id, `{"dataRegion":"us"}`); return err })
			_, err := putPolicy(t, w, `{}`)
			testkit.OK(t, err)
			testkit.OK(t, w.Features.Tenant.DeleteCredential(bg, w.Tenant, id))
			return done
		},
		"a hard budget of the tenant, and a model without a price of a repository": func(t *testing.T, w *featuretest.World) int {
			a := w.Credential(`{"name":"a","kind":"openai","apiKey":"k"}`).ID
			b := w.Credential(`{"name":"b","kind":"compatible","baseUrl":"https://b.example.com/v1"}`).ID
			tenants := tiersOf(a, "gpt-5-mini", "low") + `,"repositoryCredentialIds":["` + b + `"]`
			_, err := putPolicy(t, w, `{`+tenants+`}`)
			testkit.OK(t, err)
			done := together(
				func() error { _, err := putPolicy(t, w, `{`+tenants+hard+`}`); return err },
				func() error {
					_, err := narrow(t, w, `{"tiers":{"strong":{"credentialId":"`+b+`","model":"house"}}}`)
					return err
				})
			for _, put := range []func() error{
				func() error { _, err := narrow(t, w, `{}`); return err },
				func() error { _, err := putPolicy(t, w, `{}`); return err },
				func() error { return w.Features.Tenant.DeleteCredential(bg, w.Tenant, a) },
				func() error { return w.Features.Tenant.DeleteCredential(bg, w.Tenant, b) },
			} {
				testkit.OK(t, put())
			}
			return done
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
				w := featuretest.NewWorld(t, s)
				for range rounds {
					testkit.Equal(t, "how many of the two succeeded", meet(t, w), 1)
				}
			})
		})
	}
}
