package codehosttest

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
)

// testPeople checks requests about people on hosts with connections.
func testPeople(t *testing.T, f *Fixture) {
	ctx := t.Context()
	host, ok := f.Host.(codehost.Connection)
	if !ok {
		t.Skip("the host is not reached by a connection")
	}
	f.Gate.Reset()
	members := must[[]codehost.Member](t)(host.Members(ctx, f.Repo))
	at := slices.IndexFunc(members, func(m codehost.Member) bool { return m.Login == f.Author })
	if at < 0 || members[at].Permission != "write" || members[at].ID == "" {
		t.Fatalf("the author is not a member who may write: %+v", members)
	}
	author := members[at]
	other := slices.IndexFunc(members, func(m codehost.Member) bool { return m.ID != author.ID && m.Permission != author.Permission })
	if other < 0 {
		t.Fatalf("all members have the permission of the author: %+v", members)
	}
	for what, login := range map[string]string{"the name": author.Login, "no name": "",
		"another person's name": members[other].Login, "an unknown name": "unknown-account", "an invalid name": "../x"} {
		if word := must[string](t)(host.PermissionOf(ctx, f.Repo, author.ID, login)); word != "write" {
			t.Errorf("asked with %s: %q", what, word)
		}
	}
	if word, err := host.PermissionOf(ctx, f.Repo, "987654321", author.Login); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("the author's name with an unknown id: %q, %v", word, err)
	}
	former, absent := f.Repo, f.Repo
	former.Name += "-former"
	if word := must[string](t)(host.PermissionOf(ctx, former, author.ID, author.Login)); word != "write" {
		t.Errorf("by a name that the repository had: %q", word)
	}
	absent.ExternalID = "987654321"
	if word, err := host.PermissionOf(ctx, absent, author.ID, author.Login); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("a repository that is not there: %q, %v", word, err)
	}
	if finder, ok := f.Host.(codehost.AccountFinder); ok {
		testAccounts(t, finder, members)
	}
	f.peoplePassApart(t)
}

// testAccounts checks that accounts are found by login and by id, and that the id decides.
func testAccounts(t *testing.T, finder codehost.AccountFinder, members []codehost.Member) {
	t.Helper()
	seen := 0
	for _, m := range members {
		found := must[[]codehost.Account](t)(finder.FindAccounts(t.Context(), m.Login))
		at := slices.IndexFunc(found, func(a codehost.Account) bool { return a.ID == m.ID })
		if at < 0 {
			continue // a guest, whom the host does not list
		}
		seen++
		for _, login := range []string{m.Login, "", "unknown-account", "../x"} {
			if a := must[codehost.Account](t)(finder.AccountOf(t.Context(), m.ID, login)); a != found[at] || a.Login != m.Login {
				t.Errorf("the account of %s by the login %q: %+v, want %+v", m.Login, login, a, found[at])
			}
		}
	}
	if seen == 0 {
		t.Errorf("no member's account is found: %+v", members)
	}
	if found := must[[]codehost.Account](t)(finder.FindAccounts(t.Context(), "unknown-account")); len(found) != 0 {
		t.Errorf("accounts with an unknown name: %+v", found)
	}
	if a, err := finder.AccountOf(t.Context(), "987654321", members[0].Login); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("an unknown id with a member's login: %+v, %v", a, err)
	}
}

// peoplePassApart checks that requests about people have a separate budget key.
func (f *Fixture) peoplePassApart(t *testing.T) {
	t.Helper()
	people := f.keys()
	if _, err := f.Host.PullRequest(t.Context(), f.Repo, f.Number); err != nil {
		t.Fatal(err)
	}
	all := f.keys()
	if len(people) == 0 || len(all) != len(people)+1 {
		t.Errorf("requests about people use the budgets %v, and with reading a pull request %v", people, all)
	}
}

// keys returns the budget keys used so far.
func (f *Fixture) keys() []string {
	var out []string
	for _, e := range f.Gate.Events() {
		if !slices.Contains(out, e.Key) {
			out = append(out, e.Key)
		}
	}
	return out
}
