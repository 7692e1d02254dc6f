package doctor

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/sandbox"
)

func TestTheSandboxIsReported(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status sandbox.Status
		needed bool
		want   Status
		says   string
	}{
		"everything":                      {sandbox.Status{Limits: true, NoNewPrivileges: true, Landlock: 7, Seccomp: true}, false, OK, "(Landlock 7), no network and no other process (seccomp)"},
		"everything, and it is required":  {sandbox.Status{Limits: true, NoNewPrivileges: true, Landlock: 7, Seccomp: true}, true, OK, "Landlock 7"},
		"no Landlock, and it is required": {sandbox.Status{Limits: true, NoNewPrivileges: true, Missing: []string{"Landlock: not here"}}, true, Fail, "ASSAY_SANDBOX is required; missing: Landlock: not here"},
		"no setting, and it is required":  {sandbox.Status{Limits: true}, true, Fail, "nothing is reviewed here"},
		"no Landlock":                     {sandbox.Status{Limits: true, NoNewPrivileges: true, Missing: []string{"Landlock: not here"}}, false, Warn, "missing: Landlock: not here"},
		"no filter, and it is required":   {sandbox.Status{Limits: true, NoNewPrivileges: true, Landlock: 7}, true, Fail, "missing: limits, no_new_privs, Landlock or seccomp"},
		"the filter alone":                {sandbox.Status{Limits: true, NoNewPrivileges: true, Seccomp: true, Missing: []string{"Landlock: not here"}}, false, Warn, "keeps them from networks"},
		"Landlock alone":                  {sandbox.Status{Limits: true, NoNewPrivileges: true, Landlock: 7, Missing: []string{"seccomp: not here"}}, false, Warn, "no files (Landlock 7)"},
		"no limits":                       {sandbox.Status{Missing: []string{"limits"}}, false, Fail, "without limits"},
	} {
		t.Run(name, func(t *testing.T) {
			got, message, fix := held(tt.status, tt.needed)
			if got != tt.want || !strings.Contains(message, tt.says) || (fix == "") != (got == OK) {
				t.Errorf("%s %q %q", got, message, fix)
			}
		})
	}
}
