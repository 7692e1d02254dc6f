package gitlab

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/testkit"
)

// What each level of GitLab gives, by the visibility of the project and by who may see its
// code there (docs.gitlab.com/api/members and docs.gitlab.com/user/permissions): guests and
// planners, as people without a level, read code where everybody does, and nowhere else.
func TestWhatLevelsGive(t *testing.T) {
	t.Parallel()
	for visibility, open := range map[string]string{"private": "none", "internal": "read", "public": "read"} {
		for code, everybody := range map[string]string{"enabled": open, "private": "none"} {
			for level, want := range map[int]string{0: everybody, 5: everybody, 10: everybody, 15: everybody, 20: "read", 30: "write", 40: "maintain", 50: "admin"} {
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
