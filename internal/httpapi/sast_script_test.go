package httpapi_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The script of deploy/ci uploads a file to the route, and says what a refusal means.
func TestTheScriptForPipelinesUploads(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("../../deploy/ci/assay-ci.sh")
	testkit.OK(t, err)
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.role(member, w.Repository, "review")
		file := filepath.Join(t.TempDir(), "results.sarif")
		testkit.OK(t, os.WriteFile(file, []byte(sarifOf("gosec")), 0o600))
		for scope, want := range map[string]string{"sast:upload": "the server has the results", "reviews:read": "assay-ci: the server"} {
			token := w.scoped(member, scope)
			cmd := exec.Command("/bin/sh", script, "upload")
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "ASSAY_CI_SERVER=" + w.base, "ASSAY_CI_TENANT=" + w.Tenant.ID,
				"ASSAY_CI_REPOSITORY=" + w.Repository.ID, "ASSAY_CI_TOKEN=" + token, "ASSAY_CI_HEAD_SHA=" + w.Run.HeadSHA, "ASSAY_CI_SARIF=" + file}
			out, err := cmd.CombinedOutput()
			if (err == nil) != (scope == "sast:upload") || !strings.Contains(string(out), want) || strings.Contains(string(out), token) {
				t.Errorf("%s: %v %s", scope, err, out)
			}
			t.Logf("%s: %s", scope, out)
		}
		var list httpList[httpapi.SastRun]
		w.into(&list, w.call(member, http.MethodGet, w.repo()+"/sast-runs", ""))
		testkit.Equal(t, "runs", len(list.Items), 1)
	})
}
