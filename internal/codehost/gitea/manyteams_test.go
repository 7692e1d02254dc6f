package gitea

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// A probe requests the members of a bounded number of teams, because a person waits for it. If the account is
// an owner, only the owners' team is requested.
func TestProbeOfManyTeams(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		owner bool
		asked int
		says  string
	}{
		"an owner":                            {true, 1, ""},
		"an account outside the owners' team": {false, maxProbedTeams, "30 of 30 teams of octo that were looked at, among 41"},
	} {
		f := newFake(t)
		f.json("GET /version", `{"version":"1.26.4"}`)
		f.json("GET /orgs/octo", `{"id":1,"username":"octo","name":"octo"}`)
		f.status("GET /orgs/octo/members/assay", 204, "")
		teams := []string{}
		for id := range 40 {
			teams = append(teams, fmt.Sprintf(`{"id":%d,"name":"team-%d","permission":"none"}`, id+2, id))
			f.status(fmt.Sprintf("GET /teams/%d/members", id+2), 403, `{"message":"Must be a team member"}`)
		}
		f.json("GET /orgs/octo/teams", "["+strings.Join(teams, ",")+`,{"id":1,"name":"Owners","permission":"owner"}]`)
		if f.status("GET /teams/1/members", 403, `{"message":"Must be a team member"}`); tc.owner {
			f.json("GET /teams/1/members", `[{"id":9,"login":"assay"}]`)
		}
		f.json("GET /orgs/octo/repos", `[{"id":5,"name":"demo","owner":{"id":1,"login":"octo"},"permissions":{"admin":true,"push":true}}]`)
		got, err := f.host(domain.Gitea).Probe(t.Context())
		asked := 0
		for _, r := range f.requests("GET") {
			if strings.HasPrefix(r, "GET /teams/") {
				asked++
			}
		}
		said := strings.Join(got.Missing, " ")
		if err != nil || asked != tc.asked || !strings.Contains(said, tc.says) || tc.says == "" && said != "" {
			t.Errorf("%s: asked %d teams: %q, %v", name, asked, said, err)
		}
	}
}
