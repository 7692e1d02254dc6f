package upgrade

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// seed fills a database of the newest schema: through the interface if it has an action, otherwise
// through the store, and with SQL if nothing writes such a row yet.
type seed struct {
	*service
	root   person
	apps   []string // ids
	people []store.User
}

// estate is a tenant that is being filled.
type estate struct {
	*seed
	domain.Tenant
	n            int // 0, 1, …
	admin        person
	installation store.Installation
	repositories []store.Repository
	pulls        []store.PullRequest
	runs         []store.Run
	findings     []string // ids, of several pull requests
}

// These texts are awkward, but legal where people, hosts and models write.
var (
	names = []string{`O'Brien & "Söhne" \ Co`, "キー 🗝️ é e\u0301 ﷽", "a;b--c/*d*/ $1 ${2} {now} %s", "…", "null", "NaN", "ימין", "🧑‍🚀"}
	wild  = []string{" ", "\u202eright to left\u2066", "two\nlines\r\n\tand a tab", "\u200b", "<script>'\"`--"} // only of hosts and models
	long  = strings.Repeat("Straße №5: 'a' \"b\" \\ 🧵 \n\t", 300)                                               // 10 kB
)

// name returns the name of the i-th thing of its kind, different from all others.
func name(i int) string { return fmt.Sprintf("%s %d", names[i%len(names)], i) }

// sha returns a commit of the i-th thing.
func sha(i int) string {
	sum := sha256.Sum256(fmt.Append(nil, i))
	return hex.EncodeToString(sum[:20])
}

// fill fills the database of a service.
func fill(s *service) {
	s.t.Helper()
	d := &seed{service: s}
	root, err := s.Store.CreateUser(bg, "Root "+names[0], true)
	must(s.t, err)
	d.root = s.signIn(root)
	for i := range 6 {
		u, err := s.Store.CreateUser(bg, name(i), false)
		must(s.t, err)
		d.people = append(d.people, u)
	}
	d.instance()
	for n := range 3 {
		e := d.tenant(n)
		e.configure()
		if n == 1 { // the retention of bodies was short here; the following rows keep them
			must(s.t, s.Audit.EraseBodies(bg, e.Tenant, 0))
		}
		e.review()
		e.record()
		e.tell()
		e.belong()
	}
	d.work()
	d.signIns()
	d.rare()
}

// tenant creates a tenant with an admin, an installation and repositories.
func (d *seed) tenant(n int) *estate {
	d.t.Helper()
	e := &estate{seed: d, n: n}
	e.ID = d.create(d.root, "/api/instance/tenants", object{"name": name(n)})
	e.admin = d.signIn(d.people[n])
	must(d.t, d.Store.SetMember(bg, e.Tenant, e.admin.id, domain.RoleAdmin, "setup"))
	d.change(d.root, http.MethodPost, "/api/instance/tenants/"+e.ID+"/join", object{"role": "member", "reason": names[0]})
	i, err := d.Store.UpsertInstallation(bg, store.Installation{AppID: d.apps[n%len(d.apps)], ExternalID: domain.NumberID(math.MaxInt64 - int64(n)), AccountID: domain.NumberID(math.MaxInt64), AccountLogin: wild[n], AccountType: "Organization"})
	must(d.t, err)
	d.change(d.root, http.MethodPost, "/api/instance/installations/"+i.ID+"/place", object{"tenantId": e.ID})
	e.installation = i
	for r, intake := range []string{domain.IntakeOn, domain.IntakeOff, domain.IntakeOff, domain.IntakeOn} {
		repository, err := d.Store.UpsertRepository(bg, e.Tenant, store.Repository{Installation: i.ID, ExternalID: domain.NumberID(int64(n*10 + r + 1)), Owner: "octo-" + fmt.Sprint(n), Name: fmt.Sprintf("Repo.%d_ß", r),
			DefaultBranch: "main/'ü'", Private: r%2 == 1})
		must(d.t, err)
		must(d.t, d.Store.SetIntake(bg, e.Tenant, repository.ID, intake))
		e.repositories = append(e.repositories, repository)
	}
	gone, err := d.Store.UpsertRepository(bg, e.Tenant, store.Repository{Installation: i.ID, ExternalID: domain.NumberID(math.MaxInt64), Owner: "octo-gone", Name: "gone", DefaultBranch: ""})
	must(d.t, err)
	must(d.t, d.Store.DisconnectRepositories(bg, e.Tenant, i.ID, gone.ExternalID))
	return e
}

// path returns a path in the tenant.
func (e *estate) path(rest string) string { return "/api/tenants/" + e.ID + rest }

// object is a JSON object.
type object map[string]any

// create creates something through the interface and returns its id.
func (s *service) create(who person, path string, body object) string {
	s.t.Helper()
	var made struct{ ID string }
	must(s.t, json.Unmarshal([]byte(s.change(who, http.MethodPost, path, body)), &made))
	if made.ID == "" {
		s.t.Fatalf("POST %s made nothing with an id", path)
	}
	return made.ID
}

// change makes a change through the interface.
func (s *service) change(who person, method, path string, body any) string {
	s.t.Helper()
	text := ""
	if body != nil {
		raw, err := json.Marshal(body)
		must(s.t, err)
		text = string(raw)
	}
	status, answer := s.call(who, method, path, text)
	if status >= 300 {
		s.t.Fatalf("%s %s: %d %.600s\n%.300s", method, path, status, answer, text)
	}
	return answer
}

// sql changes rows that no action of the product writes.
func (s *service) sql(text string, args ...any) {
	s.t.Helper()
	if _, err := s.db.Write.ExecContext(bg, s.db.SQL(text), args...); err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
}

// kept returns a created row.
func kept[T any](s *service) func(v T, err error) T {
	return func(v T, err error) T {
		must(s.t, err)
		return v
	}
}
