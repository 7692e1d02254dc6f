package team

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/suppress"
	"github.com/assay-dev/assay/internal/testkit"
)

// way is how a person dismisses findings.
type way int

const (
	byReply way = iota
	byCommand
	onPage
)

// words are what a person writes into a thread.
var words = map[way]string{byReply: "We want it like this.", byCommand: "/assay ignore we want it so"}

// person is a member of the team who refuses the same remarks in every pull request.
type person struct {
	name  string
	id    domain.HostID // on the code host
	user  string        // here, for [onPage]
	way   way
	taste map[string][]string // folder to the last parts of the rules; "*" for every rule
}

// refuses reports whether the person does not want a remark.
func (p person) refuses(f domain.Finding) bool {
	rules := p.taste[f.Folder()]
	key := f.RuleID[strings.LastIndex(f.RuleID, "/")+1:]
	return slices.Contains(rules, "*") || slices.Contains(rules, key)
}

// members returns the team. Dora is the only one who refuses data races in the folder of the cart.
func members(user func(name string) string) []person {
	cart := []string{"error-ignored", "resource-leak"}
	steps := []string{"nil-deref", "wrong-variable", "off-by-one"}
	return []person{
		{name: "ada", id: "11", way: byReply, taste: map[string][]string{"scripts": {"*"}, "shop/cart": cart}},
		{name: "ben", id: "12", way: byCommand, taste: map[string][]string{"scripts": {"*"}, "shop/cart": cart, "migrations": steps}},
		{name: "cleo", user: user("cleo"), way: onPage, taste: map[string][]string{"scripts": {"*"}, "migrations": steps}},
		{name: "dora", user: user("dora"), way: onPage, taste: map[string][]string{"shop/cart": {"data-race"}}},
	}
}

// isTrue reports whether a finding is about a defect that was planted, or about a secret.
func isTrue(f domain.Finding) bool {
	return f.IsSecret() || strings.HasPrefix(f.Title, "grave: ") || strings.HasPrefix(f.Title, "broken: ")
}

// maxSpoken is the number of dismissals by comments that a pull request gets (docs/conversation.md, "Bounds": five answers a day).
const maxSpoken = 5

// refuse lets the members dismiss what they do not want in a pull request, one of them each remark, and notes the refusals.
func (m *team) refuse(p pull, known []store.KnownFinding) {
	rng := rand.New(rand.NewPCG(m.seed, uint64(p.number)+1<<32))
	spoken := 0
	for _, k := range known {
		if k.State != domain.FindingOpen || k.CommentID == "" || isTrue(k.Finding) {
			continue
		}
		var willing []person
		for _, who := range m.members {
			if who.refuses(k.Finding) && (who.way == onPage || spoken < maxSpoken) {
				willing = append(willing, who)
			}
		}
		if len(willing) == 0 {
			continue
		}
		who := willing[rng.IntN(len(willing))]
		if who.way == onPage {
			_, err := m.Services.Approvals.Dismiss(bg, m.World.Tenant, m.repository, approval.Dismissal{Finding: k.ID, Reason: "we want it so",
				UserID: who.user, Name: who.name})
			testkit.OK(m.T, err)
		} else {
			spoken++
			m.send(p, k, who.name, who.id, false, words[who.way])
			m.Settle()
		}
		m.refusals.add(k.Finding, who.name, p.number)
	}
}

// disturb lets people without write access and bots try to dismiss every finding of a pull request, true ones included. Afterwards no
// finding has another state, and the service has not answered.
func (m *team) disturb(p pull, known []store.KnownFinding) {
	answers := len(m.Host.Sent())
	for i, k := range known {
		if k.CommentID == "" {
			continue
		}
		crowd := fmt.Sprint("stranger", i%3)
		m.send(p, k, crowd, domain.HostID(fmt.Sprint(900+i%3)), false, "/assay ignore nobody needs this")
		m.send(p, k, crowd, domain.HostID(fmt.Sprint(900+i%3)), false, "👎 This is on purpose.")
		m.send(p, k, "helper", "950", true, "/assay ignore this is fine")
	}
	m.Settle()
	for i, k := range m.known() {
		if k.State != known[i].State {
			m.T.Errorf("pull request %d: strangers made %q %s", p.number, k.Title, k.State)
		}
	}
	if got := len(m.Host.Sent()); got != answers {
		m.T.Errorf("pull request %d: %d answers to strangers", p.number, got-answers)
	}
}

// send sends a comment in the thread of a finding.
func (m *team) send(p pull, k store.KnownFinding, author string, id domain.HostID, bot bool, body string) {
	m.comments++
	ev := reviewtest.Comment(m.comments, author, body)
	ev.Comment.Number, ev.Comment.AuthorID, ev.Comment.AuthorIsBot = p.number, id, bot
	ev.Comment.Inline, ev.Comment.InReplyTo = true, k.CommentID
	m.Send(ev)
}

// decide lets the manager accept every proposal, and notes the places of those by repetition with their highest severity.
func (m *team) decide() {
	m.T.Helper()
	tenant := m.World.Tenant
	rows, err := m.Store.Suppressions(bg, tenant, m.repository.ID, store.SuppressionsFilter{State: domain.SuppressionProposed, Limit: 300})
	testkit.OK(m.T, err)
	for _, v := range rows {
		_, err := m.Services.Suppress.Decide(bg, tenant, m.repository, v.ID, suppress.Decision{Accept: true, UserID: m.manager, Name: "greta"})
		testkit.OK(m.T, err)
		if v.Source == domain.SuppressedByRepetition {
			highest, _ := domain.ParseSeverity(v.Severity)
			m.accepted[place{v.RuleID, strings.TrimSuffix(store.FromJSON[[]string](v.Paths)[0], "/**")}] = highest
		}
	}
}
