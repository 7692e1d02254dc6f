package browser

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	sample "github.com/assay-dev/assay/sim/host/demo"
)

// On Bitbucket an admin links a member to an account. The member finds the question in the inbox, confirms it, and approves
// a review with the rights of the account.
func TestAnAccountIsLinkedInABrowser(t *testing.T) {
	t.Parallel()
	needConsole(t)
	ctx, data := context.Background(), t.TempDir()
	s := serve(t, data, []string{"--demo", "--host", string(domain.BitbucketCloud)}, nil)
	admin := strings.TrimSpace(s.process.WaitLine(patience, s.base+"/auth/break-glass#token="))
	_, waits, _ := strings.Cut(s.process.WaitLine(3*patience, "decide at "), "decide at ")
	waits = strings.TrimSpace(waits)
	s.open(t, filepath.Join(data, "demo-"+string(domain.BitbucketCloud), "assay.db"))
	tenants, err := s.store.Tenants(ctx)
	must(t, err)
	member, err := s.store.CreateUser(ctx, "Mia Member", false)
	must(t, err)
	must(t, s.store.AssignMember(ctx, domain.Tenant{ID: tenants[0].ID}, member.ID, domain.RoleMember))
	tenant := s.base + "/t/" + tenants[0].ID

	p := newTab(t)
	p.signIn(admin)
	p.goTo(tenant + "/members")
	p.until("[...document.querySelectorAll('tbody tr')].some(r => r.innerText.includes('Mia Member'))")
	p.button("Change Mia Member")
	p.button("Accounts on code hosts")
	p.until("document.querySelector('[role=dialog] form input[type=text], [role=dialog] form input:not([type])')")
	p.dialogs(1)
	p.axe("the search for an account")
	p.fill("[role=dialog] form input", sample.Admin)
	p.button("Search")
	p.button("Link " + sample.Admin)
	p.until("document.querySelector('[role=dialog]').innerText.includes('not confirmed')")
	p.axe("an account that was linked")

	p.as(s.link(ctx, t, member))
	p.goTo(tenant + "/inbox")
	p.until("document.querySelector('main tbody')?.innerText.includes('Account to confirm')")
	p.axe("the question in the inbox")
	p.press("main tbody a[href$='/me']", "section[aria-labelledby=host-accounts] button")
	p.inspect("the question")
	p.axe("the question")
	p.button("Yes, this is my account")
	p.until("document.querySelector('section[aria-labelledby=host-accounts]').innerText.includes('confirmed')")
	p.goTo(waits + "?tab=approval")
	p.until("document.querySelector('form article')")
	p.approve()
	p.clean(s.base, s.base)
}
