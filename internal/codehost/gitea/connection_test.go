package gitea

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

const scopeRefusal = `{"message":"token does not have at least one of required scope(s), required=[write:issue], token scope=x"}`

func TestProbe(t *testing.T) {
	t.Parallel()
	repo := func(id int, rights string) string {
		return fmt.Sprintf(`{"id":%d,"name":"r%d","owner":{"id":1,"login":"octo"},"permissions":{%s}}`, id, id, rights)
	}
	const all = `"admin":true,"push":true,"pull":true`
	for name, tc := range map[string]struct {
		arrange func(*fake)
		missing []string // phrases of the messages
		class   codehost.Class
	}{
		"nothing is missing":      {func(*fake) {}, nil, ""},
		"token refused":           {func(f *fake) { f.status("GET /user", 401, `{"message":"no"}`) }, nil, codehost.ClassForbidden},
		"host is down":            {func(f *fake) { f.status("GET /user", 502, "") }, nil, codehost.ClassUnavailable},
		"no such owner":           {func(f *fake) { f.status("GET /orgs/octo", 404, "") }, nil, codehost.ClassNotFound},
		"cannot read its account": {func(f *fake) { f.status("GET /user", 403, scopeRefusal) }, []string{"read:user"}, ""},
		"cannot see teams": {func(f *fake) {
			f.status("GET /orgs/octo", 403, scopeRefusal)
			f.json("GET /users/octo", `{"id":1,"login":"octo"}`)
			f.json("GET /users/octo/repos", "["+repo(5, all)+"]")
		}, []string{"read:organization"}, ""},
		"cannot see code": {func(f *fake) { f.status("GET /orgs/octo/repos", 403, scopeRefusal) }, []string{"write:repository"}, ""},
		"cannot publish":  {func(f *fake) { f.status("DELETE /repos/octo/r5/pulls/0/reviews/0", 403, scopeRefusal) }, []string{"write:repository"}, ""},
		"cannot answer":   {func(f *fake) { f.status("DELETE /repos/octo/r5/issues/comments/0", 403, scopeRefusal) }, []string{"write:issue"}, ""},
		"no member":       {func(f *fake) { f.status("GET /orgs/octo/members/assay", 303, "", "Location: /x") }, []string{"not a member of octo"}, ""},
		"cannot publish, and is not a member": {func(f *fake) {
			f.status("GET /orgs/octo/members/assay", 303, "", "Location: /x")
			f.status("DELETE /repos/octo/r5/pulls/0/reviews/0", 403, scopeRefusal)
		}, []string{"write:repository", "not a member of octo"}, ""},
		"a team is not seen": {func(f *fake) {
			f.json("GET /orgs/octo/teams", `[{"id":1,"name":"Owners"},{"id":2,"name":"makers"}]`)
			f.json("GET /teams/1/members", "[]")
			f.status("GET /teams/2/members", 403, `{"message":"Must be a team member"}`)
		}, []string{"1 of 2 teams of octo (makers), because only their members and owners do: people with rights by these teams are known in part only. Add the account to the team Owners, or to each other"}, ""},
		"the owners are not seen": {func(f *fake) {
			f.json("GET /orgs/octo/teams", `[{"id":1,"name":"Owners","permission":"owner"}]`)
			f.status("GET /teams/1/members", 403, `{"message":"Must be a team member"}`)
		}, []string{"Reviews work without that. To know all people, add the account to the team Owners."}, ""},
		"many teams are not seen": {func(f *fake) {
			var teams []string
			for id := 1; id <= maxNamed+2; id++ {
				teams = append(teams, fmt.Sprintf(`{"id":%d,"name":"t%d"}`, id, id))
				f.status(fmt.Sprintf("GET /teams/%d/members", id), 403, `{"message":"Must be a team member"}`)
			}
			f.json("GET /orgs/octo/teams", "["+strings.Join(teams, ",")+"]")
		}, []string{"t9, t10 and 2 more), because"}, ""},
		"no repository": {func(f *fake) { f.json("GET /orgs/octo/repos", "[]") }, []string{"no repository"}, ""},
		"no rights":     {func(f *fake) { f.json("GET /orgs/octo/repos", "["+repo(5, `"pull":true`)+","+repo(6, all)+"]") }, []string{"1 of 2", "does not administer 1 of 2"}, ""},
	} {
		f := newFake(t)
		f.json("GET /version", `{"version":"1.26.4"}`)
		f.json("GET /orgs/octo", `{"id":1,"username":"octo"}`)
		f.status("GET /orgs/octo/members/assay", 204, "")
		f.json("GET /orgs/octo/teams", "[]")
		f.json("GET /orgs/octo/repos", "["+repo(5, all)+","+repo(6, all)+"]")
		tc.arrange(f)
		got, err := f.host(domain.Gitea).Probe(t.Context())
		if codehost.ClassOf(err) != tc.class {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(got.Missing) != len(tc.missing) {
			t.Errorf("%s: missing %q", name, got.Missing)
			continue
		}
		for i, word := range tc.missing {
			if !strings.Contains(got.Missing[i], word) {
				t.Errorf("%s: missing %q, want %q", name, got.Missing[i], word)
			}
		}
		var lacking []string
		if len(tc.missing) > 0 && slices.Contains([]string{"read:user", "write:repository", "write:issue"}, tc.missing[0]) {
			lacking = tc.missing[:1]
		}
		if !slices.Equal(got.Lacking, lacking) {
			t.Errorf("%s: lacking %q, want %q", name, got.Lacking, lacking)
		}
		if tc.class == "" && len(tc.missing) == 0 && (got.Login != "assay" || got.ID != "9" || got.Version != "1.26.4" || got.Owner != codehost.RepoOwner{ID: "1", Login: "octo", Organization: true}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestRepositories(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.status("GET /orgs/octo", 404, "")
	f.json("GET /users/octo", `{"id":1,"login":"octo"}`)
	f.json("GET /users/octo/repos", `[{"id":5,"name":"demo","owner":{"id":1,"login":"octo"},"private":true,"default_branch":"main"},{"id":5,"name":"demo"},{"id":6,"name":"x","owner":{"id":2}},null]`)
	list, err := f.host(domain.Gitea).Repositories(t.Context())
	if err != nil || len(list) != 1 || list[0] != (codehost.RepoInfo{ExternalID: "5", Owner: "octo", Name: "demo", Private: true, DefaultBranch: "main"}) {
		t.Errorf("%+v, %v", list, err)
	}
	f.on("GET /users/octo/repos", func(w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		linked(1<<30)(w, page)
		var part []string
		for i := range 50 {
			part = append(part, fmt.Sprintf(`{"id":%d,"name":"r","owner":{"id":1}}`, page*50+i))
		}
		_, _ = fmt.Fprint(w, "["+strings.Join(part, ",")+"]")
	})
	if _, err := f.host(domain.Gitea).Repositories(t.Context()); codehost.ClassOf(err) != codehost.ClassTooLarge {
		t.Errorf("without an end: %v", err)
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.json("GET /repos/octo/demo", `{"id":5,"name":"demo","owner":{"id":1,"login":"octo"}}`)
	f.json("GET /repos/octo/demo/collaborators", `[{"id":3,"login":"ann"},{"id":4,"login":"ben"},{"id":7,"login":"gone"}]`)
	f.json("GET /repos/octo/demo/collaborators/ann/permission", `{"permission":"write"}`)
	f.json("GET /repos/octo/demo/collaborators/ben/permission", `{"permission":"owner"}`)
	f.json("GET /repos/octo/demo/teams", `[{"id":1,"permission":"owner"},{"id":2,"permission":"read"},{"id":3,"permission":"none","units_map":{"repo.code":"write"}}]`)
	f.json("GET /teams/1/members", `[{"id":6,"login":"own"}]`)
	f.json("GET /teams/2/members", `[{"id":3,"login":"ann"},{"id":10,"login":"eve"}]`)
	f.json("GET /teams/3/members", `[{"id":10,"login":"eve"}]`)
	h := f.host(domain.Gitea)
	list, err := h.Members(t.Context(), testRepo)
	want := []codehost.Member{{ID: "3", Login: "ann", Permission: "write", Account: "member"}, {ID: "4", Login: "ben", Permission: "admin"},
		{ID: "6", Login: "own", Permission: "admin", Account: "owner"}, {ID: "10", Login: "eve", Permission: "write", Account: "member"}}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("%+v, %v", list, err)
	}
	f.status("GET /teams/3/members", 403, `{"message":"Must be a team member"}`)
	f.json("GET /repos/octo/demo/assignees", `[{"id":10,"login":"eve"},{"id":11,"login":"dan"}]`)
	f.json("GET /orgs/octo/members", `[{"id":11,"login":"dan"},{"id":12,"login":"zoe"}]`)
	want[3].Permission = "read"
	want = append(want, codehost.Member{ID: "11", Login: "dan", Permission: "read", Account: "member"})
	if list, err = h.Members(t.Context(), testRepo); err != nil || !slices.Equal(list, want) {
		t.Errorf("with a team that is not seen beside one that reads: %+v, %v", list, err)
	}
	f.json("GET /repos/octo/demo/teams", `[{"id":1,"permission":"owner"},{"id":3,"permission":"none","units_map":{"repo.code":"write"}}]`)
	f.status("GET /orgs/octo/members", 403, `{"message":"Must be an organization member"}`)
	want[3], want[4] = codehost.Member{ID: "10", Login: "eve", Permission: "write"}, codehost.Member{ID: "11", Login: "dan", Permission: "write"}
	if list, err = h.Members(t.Context(), testRepo); err != nil || !slices.Equal(list, append(want[:0:0], codehost.Member{ID: "3", Login: "ann", Permission: "write"}, want[1], want[2], want[3], want[4])) {
		t.Errorf("with a team that is not seen, and all write: %+v, %v", list, err)
	}
	f.status("GET /teams/1/members", 403, `{"message":"Must be a team member"}`)
	f.json("GET /repos/octo/demo/collaborators/eve/permission", `{"permission":"read","user":{"id":10,"login":"eve"}}`)
	f.json("GET /repos/octo/demo/collaborators/dan/permission", `{"permission":"owner","user":{"id":11,"login":"dan"}}`)
	want = []codehost.Member{{ID: "3", Login: "ann", Permission: "write"}, {ID: "4", Login: "ben", Permission: "admin"},
		{ID: "10", Login: "eve", Permission: "write"}, {ID: "11", Login: "dan", Permission: "admin"}}
	if list, err = h.Members(t.Context(), testRepo); err != nil || !slices.Equal(list, want) {
		t.Errorf("with owners who are not seen: %+v, %v", list, err)
	}
	f.json("GET /repos/octo/demo/teams", `[{"id":1,"permission":"owner"},{"id":3,"permission":"none","units_map":{"repo.code":"write"}},
		{"id":4,"permission":"none","units_map":{"repo.issues":"write"}}]`)
	f.status("GET /teams/4/members", 403, `{"message":"Must be a team member"}`)
	if list, err = h.Members(t.Context(), testRepo); err != nil || !slices.Equal(list, slices.Delete(want, 2, 3)) {
		t.Errorf("with owners who are not seen, and a team without the code: %+v, %v", list, err)
	}
	f.status("GET /repos/octo/demo/teams", 405, `{"message":"repo is not owned by an organization"}`)
	list, err = h.Members(t.Context(), testRepo)
	if want := (codehost.Member{ID: "1", Login: "octo", Permission: "admin", Account: "owner"}); err != nil || len(list) != 3 || list[0] != want {
		t.Errorf("labels of a person: %+v, %v", list, err)
	}
	f.status("GET /repos/octo/demo/collaborators/ann/permission", 403, `{"message":"Only admins can query all permissions"}`)
	if _, err := h.Members(t.Context(), testRepo); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Errorf("%v", err)
	}
}

// A person's permission is requested by id. A login name that belongs to another person by now reveals
// nothing about the person with the id.
func TestPermissionOfAPerson(t *testing.T) {
	t.Parallel()
	const of, search = "GET /repos/octo/demo/collaborators/%s/permission", "GET /users/search"
	says := func(f *fake, login string, id int, word string) {
		f.json(fmt.Sprintf(of, login), fmt.Sprintf(`{"permission":%q,"user":{"id":%d,"login":%q}}`, word, id, login))
	}
	for name, tc := range map[string]struct {
		arrange func(*fake)
		person  domain.HostID
		login   string
		want    string
		class   codehost.Class
		asked   int
	}{
		"by the stored name": {func(f *fake) { says(f, "ann", 3, "write") }, "3", "ann", "write", "", 2},
		"an owner":           {func(f *fake) { says(f, "ann", 3, "owner") }, "3", "ann", "admin", "", 2},
		"an unknown word":    {func(f *fake) { says(f, "ann", 3, "emperor") }, "3", "ann", "none", "", 3},
		"no stored name":     {func(f *fake) { f.json(search, `{"data":[{"id":3,"login":"ann"}]}`); says(f, "ann", 3, "read") }, "3", "", "read", "", 4},
		"the name belongs to another person": {func(f *fake) {
			says(f, "ann", 8, "admin")
			f.json(search, `{"data":[{"id":3,"login":"anna"}]}`)
			says(f, "anna", 3, "none")
		}, "3", "ann", "none", "", 5},
		"another person's, without a second account": {func(f *fake) { says(f, "ann", 8, "admin"); f.json(search, `{"data":[{"id":8,"login":"ann"}]}`) }, "3", "ann", "", codehost.ClassNotFound, 3},
		"the name no longer exists":                  {func(f *fake) { f.status(fmt.Sprintf(of, "ann"), 404, ""); f.json(search, `{"data":[]}`) }, "3", "ann", "", codehost.ClassNotFound, 3},
		"the answer has no name": {func(f *fake) {
			f.json(fmt.Sprintf(of, "ann"), `{"permission":"admin"}`)
			f.json(search, `{"data":[{"id":3,"login":"ann"}]}`)
		}, "3", "ann", "", codehost.ClassUnavailable, 4},
		"the request is forbidden": {func(f *fake) {
			f.status(fmt.Sprintf(of, "ann"), 403, `{"message":"Only admins can query all permissions"}`)
		}, "3", "ann", "", codehost.ClassForbidden, 4},
		"the host is down": {func(f *fake) { f.status(fmt.Sprintf(of, "ann"), 502, "") }, "3", "ann", "", codehost.ClassUnavailable, 2},
		"an invalid id":    {func(*fake) {}, "ann", "ann", "", codehost.ClassInvalid, 0},
		"an invalid name":  {func(f *fake) { f.json(search, `{"data":[{"id":3,"login":"../x"}]}`) }, "3", "../x", "", codehost.ClassNotFound, 2},
	} {
		f := newFake(t)
		f.json("GET /repositories/5", `{"id":5,"name":"demo","owner":{"id":1,"login":"octo"}}`)
		f.status("GET /repos/octo/demo/teams", 405, `{"message":"repo is not owned by an organization"}`)
		f.json("GET /repos/octo/demo/assignees", "[]")
		tc.arrange(f)
		repo := testRepo
		repo.Name = "the-name-it-had"
		got, err := f.host(domain.Gitea).PermissionOf(t.Context(), repo, tc.person, tc.login)
		if got != tc.want || codehost.ClassOf(err) != tc.class || len(f.requests("GET")) != tc.asked {
			t.Errorf("%s: %q, %v, want %q and class %q: %v", name, got, err, tc.want, tc.class, f.requests("GET"))
		}
	}
}

// hookServer stores webhooks as the host does: it never returns a secret, and accepts one only for a new
// webhook.
type hookServer struct {
	list    []*sdk.Hook
	secrets map[int64]string
	next    int64
}

func (s *hookServer) serve(f *fake) {
	s.secrets = map[int64]string{}
	f.on("GET /repos/octo/demo/hooks", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(s.list) })
	f.on("POST /repos/octo/demo/hooks", func(w http.ResponseWriter, r *http.Request) {
		var o sdk.CreateHookOption
		_ = json.NewDecoder(r.Body).Decode(&o)
		s.next++
		s.secrets[s.next] = o.Config["secret"]
		delete(o.Config, "secret")
		hook := &sdk.Hook{ID: s.next, Active: o.Active, Events: o.Events, Config: o.Config, AuthorizationHeader: o.AuthorizationHeader}
		s.list = append(s.list, hook)
		s.one(f, hook)
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(hook)
	})
}

func (s *hookServer) one(f *fake, hook *sdk.Hook) {
	path := fmt.Sprintf(" /repos/octo/demo/hooks/%d", hook.ID)
	f.on("GET"+path, func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(hook) })
	f.on("PATCH"+path, func(w http.ResponseWriter, r *http.Request) {
		var o sdk.EditHookOption
		_ = json.NewDecoder(r.Body).Decode(&o)
		hook.Events, hook.AuthorizationHeader = o.Events, o.AuthorizationHeader
		if o.Active != nil {
			hook.Active = *o.Active
		}
		_ = json.NewEncoder(w).Encode(hook)
	})
	f.on("DELETE"+path, func(w http.ResponseWriter, _ *http.Request) {
		s.list = slices.DeleteFunc(s.list, func(h *sdk.Hook) bool { return h.ID == hook.ID })
		w.WriteHeader(http.StatusNoContent)
	})
}

func TestOurWebhook(t *testing.T) {
	t.Parallel()
	const address = "https://assay.example/webhooks/host-e/c1"
	f, s := newFake(t), &hookServer{next: 30}
	s.serve(f)
	h, ctx := f.host(domain.Gitea), t.Context()
	one, two := secret.New("hook"+"-one"), secret.New("hook"+"-two")
	if got, err := h.Hook(ctx, testRepo, address); err != nil || got.ID != "" {
		t.Fatalf("before: %+v, %v", got, err)
	}
	made, err := h.EnsureHook(ctx, testRepo, address, one)
	if err != nil || made.ID != "31" || !made.Active || len(made.Missing) != 0 || s.secrets[31] != one.Reveal() {
		t.Fatalf("made %+v, %v", made, err)
	}
	again, err := h.EnsureHook(ctx, testRepo, address, one)
	if err != nil || again.ID != made.ID || len(f.requests("POST", "PATCH", "DELETE")) != 1 {
		t.Fatalf("again %+v, %v: %v", again, err, f.requests("POST", "PATCH", "DELETE"))
	}
	s.list[0].Active, s.list[0].Events = false, []string{"push"}
	if got, err := h.Hook(ctx, testRepo, address+"/"); err != nil || got.Active || len(got.Missing) != len(neededEvents)+1 {
		t.Fatalf("worn: %+v, %v", got, err)
	}
	if got, err := h.EnsureHook(ctx, testRepo, address, one); err != nil || got.ID != "31" || !got.Active || len(got.Missing) != 0 || s.list[0].AuthorizationHeader == "" {
		t.Fatalf("mended %+v, %v", got, err)
	}
	rotated, err := h.EnsureHook(ctx, testRepo, address, two)
	if err != nil || rotated.ID != "32" || s.secrets[32] != two.Reveal() || len(s.list) != 1 {
		t.Fatalf("rotated %+v, %v: %d webhooks", rotated, err, len(s.list))
	}
	if mark := s.list[0].AuthorizationHeader; strings.Contains(mark, "two") || len(mark) > 60 {
		t.Errorf("mark %q", mark)
	}
	s.list[0].AuthorizationHeader = "" // like a webhook made by hand
	if got, err := h.EnsureHook(ctx, testRepo, address, one); err != nil || got.ID != "32" || len(s.list) != 1 {
		t.Fatalf("by hand %+v, %v", got, err)
	}
	f.json("GET /repositories/5", `{"id":5,"name":"demo","owner":{"id":1,"login":"octo"}}`)
	for range 2 {
		if err := h.RemoveHook(ctx, testRepo, address); err != nil || len(s.list) != 0 {
			t.Fatalf("removed: %v, %d left", err, len(s.list))
		}
	}
	if _, err := h.EnsureHook(ctx, testRepo, "assay.example", one); codehost.ClassOf(err) != codehost.ClassInvalid {
		t.Errorf("an invalid address: %v", err)
	}
	if _, err := h.EnsureHook(ctx, testRepo, address, secret.Secret{}); codehost.ClassOf(err) != codehost.ClassInvalid {
		t.Errorf("no secret: %v", err)
	}
}
