package approval_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// panel is a tenant with a person who reviews, and a second person.
type panel struct {
	*featuretest.World
	t          *testing.T
	raw        storetest.Raw
	mona, olga string
}

func newPanel(t *testing.T, s *store.Store, raw storetest.Raw) *panel {
	t.Helper()
	p := &panel{World: featuretest.NewWorld(t, s), t: t, raw: raw}
	p.mona, p.olga = p.Person("mona", domain.RoleMember), p.Person("olga", domain.RoleAdmin)
	return p
}

// authored makes a person the author of the tenant's pull requests, by the host's user id.
func (p *panel) authored(person string) {
	p.raw(`UPDATE pull_requests SET author_id = 4711 WHERE tenant_id = $1`, p.Tenant.ID)
	p.raw(`INSERT INTO identities (id, user_id, issuer, subject, kind, login, created_us, used_us) SELECT 'idn_1', $1, web_url, '4711', 'codehost', 'x', 1, 1 FROM apps WHERE id = (SELECT app_id FROM installations WHERE id = $2)`,
		person, p.Installation.ID)
}

// authorsDecide lets the authors of pull requests decide on their reviews.
func (p *panel) authorsDecide() {
	p.t.Helper()
	testkit.OK(p.t, p.Store.PutSetting(bg, p.Tenant, "", store.SettingTenant, `{"authorMayApprove":true}`))
}

// viewer is a person with a role in the repository.
func viewer(person string, role perm.RepoRole) approval.Viewer {
	return approval.Viewer{ID: person, Allows: perm.Subject{SignedIn: true, Tenant: domain.RoleMember, Repository: role}.Allows}
}

// entries counts the entries of the tenant's audit log that have the action.
func (p *panel) entries(action string) int {
	p.t.Helper()
	all, err := p.Features.Audit.Entries(bg, p.Tenant, store.AuditFilter{Action: action, Limit: 100})
	testkit.OK(p.t, err)
	return len(all)
}

// refused checks the kind and the code of an error.
func refused(t testing.TB, what string, err error, kind errs.Kind, code string) {
	t.Helper()
	if e, is := errors.AsType[*errs.Error](err); !is || e.Kind != kind || e.Code != code {
		t.Errorf("%s: %v, want %v with the code %s", what, err, kind, code)
	}
}
