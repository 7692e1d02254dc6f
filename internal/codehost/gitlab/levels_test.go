package gitlab

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/testkit"
)

// Each GitLab access level gives rights according to the project's visibility and to the access setting of
// its code (docs.gitlab.com/api/members and docs.gitlab.com/user/permissions). Guests and planners, like
// people without a level, read code only if everyone may.
func TestWhatLevelsGive(t *testing.T) {
	t.Parallel()
	for visibility, open := range map[string]string{"private": "none", "internal": "read", "public": "read"} {
		for code, everyone := range map[string]string{"enabled": open, "private": "none"} {
			for level, want := range map[int]string{0: everyone, 5: everyone, 10: everyone, 15: everyone, 20: "read", 30: "write", 40: "maintain", 50: "admin"} {
				s := newScripted(t)
				s.json("GET /projects/7", fmt.Sprintf(`{"id":7,"path_with_namespace":"octo/demo","visibility":%q,"repository_access_level":%q}`, visibility, code))
				s.json("GET /users/5", `{"id":5,"username":"ann"}`)
				if level > 0 {
					s.json("GET /projects/7/members/all/5", fmt.Sprintf(`{"id":5,"username":"ann","state":"active","access_level":%d}`, level))
				}
				got, err := s.host().PermissionOf(t.Context(), codehost.Repo{Access: "c1", ExternalID: "7", Owner: "octo", Name: "demo"}, "5", "ann")
				testkit.OK(t, err)
				testkit.Equal(t, fmt.Sprintf("level %d in a project that is %s, its code %s", level, visibility, code), got, want)
			}
		}
	}
}

// A person who is not a member has the rights of everyone. Exceptions are inactive accounts, and external
// accounts in internal projects (docs.gitlab.com/administration/moderate_users,
// docs.gitlab.com/administration/external_users).
func TestPermissionsOfNonMembers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ visibility, user, want string }{
		{"public", `"state":"active"`, "read"},
		{"public", `"state":"blocked"`, "none"},
		{"public", `"state":"deactivated"`, "none"},
		{"public", `"state":"ldap_blocked"`, "none"},
		{"public", `"state":"banned"`, "none"},
		{"internal", `"state":"blocked_pending_approval"`, "none"},
		{"internal", `"state":"active"`, "read"},
		{"internal", `"state":"active","external":true`, "none"},
		{"public", `"state":"active","external":true`, "read"},
	} {
		s := newScripted(t)
		s.json("GET /projects/7", fmt.Sprintf(`{"id":7,"path_with_namespace":"octo/demo","visibility":%q}`, tc.visibility))
		s.answers["GET /projects/octo%2Fdemo"] = s.answers["GET /projects/7"]
		s.json("GET /users", `[{"id":5,"username":"ann",`+tc.user+`}]`)
		s.json("GET /users/5", `{"id":5,"username":"ann",`+tc.user+`}`)
		repo := codehost.Repo{Access: "c1", ExternalID: "7", Owner: "octo", Name: "demo"}
		got, err := s.host().PermissionOf(t.Context(), repo, "5", "ann")
		testkit.OK(t, err)
		testkit.Equal(t, fmt.Sprintf("%s in a project that is %s", tc.user, tc.visibility), got, tc.want)
		got, err = s.host().Permission(t.Context(), repo, "ann")
		testkit.OK(t, err)
		testkit.Equal(t, fmt.Sprintf("by name, %s in a project that is %s", tc.user, tc.visibility), got, tc.want)
		// An access level of their own always counts.
		s.json("GET /projects/7/members/all/5", `{"id":5,"username":"ann","state":"active","access_level":20}`)
		got, err = s.host().PermissionOf(t.Context(), repo, "5", "ann")
		testkit.OK(t, err)
		testkit.Equal(t, "permission of a reporter", got, "read")
	}
}
