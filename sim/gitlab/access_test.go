package gitlab_test

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// A single project shows the caller's permissions, including those of all groups above it. A list of
// all projects shows only those of the project's own group, and a list of a group's projects shows
// none. The filter by least level uses the resulting level.
func TestPermissionsOfTheCallerInLists(t *testing.T) {
	w := setup(t)
	ctx := t.Context()
	must(w.ctl.CreateUser(ctx, shared.UserSpec{Login: "low"}))(t)
	must(w.ctl.CreateUser(ctx, shared.UserSpec{Login: "octo/team", Type: "Organization", Members: map[string]string{"low": "member"}}))(t)
	for login, want := range map[string]struct{ alone, listed, least string }{
		"own": {"50", "none", "1"},
		"low": {"20", "20", "0"},
	} {
		token := must(w.ctl.NewToken(ctx, login, simapi.TokenSpec{}))(t).Text
		group := func(project any) string {
			permissions, ok := project.(map[string]any)["permissions"].(map[string]any)
			if !ok {
				return "not told"
			}
			access, ok := permissions["group_access"].(map[string]any)
			if !ok {
				return "none"
			}
			return fmt.Sprint(access["access_level"])
		}
		list := func(path string) []any { return w.ask(token, 200, "GET", path, nil)["list"].([]any) }
		if got := group(w.ask(token, 200, "GET", "/projects/octo%2Fteam%2Fdemo", nil)); got != want.alone {
			t.Errorf("%s: asked for alone: %s, want %s", login, got, want.alone)
		}
		if got := group(list("/projects?membership=true")[0]); got != want.listed {
			t.Errorf("%s: in the list of all: %s, want %s", login, got, want.listed)
		}
		if got := group(list("/groups/octo/projects?include_subgroups=true")[0]); got != "not told" {
			t.Errorf("%s: in the list of the group: %s", login, got)
		}
		for _, path := range []string{"/projects?membership=true&", "/groups/octo/projects?include_subgroups=true&"} {
			if got := fmt.Sprint(len(list(path + "min_access_level=40"))); got != want.least {
				t.Errorf("%s: %s: %s projects with maintainer, want %s", login, path, got, want.least)
			}
		}
	}
}
