package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// programs returns the ids of the processes of a program, which the sandbox starts under the last part of its path.
func programs(t *testing.T, path string) (ids []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	must(t, err)
	for _, e := range entries {
		if line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline")); err == nil && strings.HasPrefix(string(line), filepath.Base(path)+"\x00") {
			ids = append(ids, e.Name())
		}
	}
	return ids
}

// A service that is killed while an analyser's program runs leaves no process. Its successor removes the copies of code and ends the
// run with one review, for which an analyser of the whole tree reads the files of git.
func TestKilledWhileAnAnalyserRuns(t *testing.T) { on(t, featureKills, killedWhileAnAnalyserRuns) }

func killedWhileAnAnalyserRuns(t *testing.T, w *world) {
	temporary, err := os.MkdirTemp("", "kill-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	must(t, os.Chmod(temporary, 0o755)) //nolint:gosec // another user starts the program
	folder := filepath.Join(temporary, "program")
	must(t, os.Mkdir(folder, 0o755)) //nolint:gosec // as above
	copied := func(name string) string {
		program, err := os.ReadFile("/usr/bin/" + name)
		if err != nil {
			t.Skip("no /usr/bin/" + name)
		}
		at := filepath.Join(folder, name+filepath.Base(temporary)) // no other process has the name
		must(t, os.WriteFile(at, program, 0o755))                  //nolint:gosec // as above
		return at
	}
	waiting, finding := copied("tail"), copied("find")
	definitions := filepath.Join(temporary, "analysers.yaml")
	define := func(program, rest string) {
		must(t, os.WriteFile(definitions, fmt.Appendf(nil, "analysers:\n  - name: lint\n    program: %s\n    output: json\n    languages: [Go]\n"+
			"    seconds: 300\n%s", program, rest), 0o600))
	}
	define(waiting, "    command: [-f, \"{files}\"]\n")
	w.env["ASSAY_ANALYSERS_DEFINITIONS"], w.env["TMPDIR"] = definitions, temporary
	p := w.worked()
	boss := w.admin()
	repository := w.repository()
	path := "/api/tenants/" + boss.tenant() + "/repositories/" + repository
	boss.as.Send(http.MethodPut, path+"/policy",
		map[string]any{"deterministic": map[string]any{"analysers": []string{"lint"}}}, http.StatusOK, nil)
	pr := w.open("list", map[string]string{"price/list.go": "package price\n\n// List is a list.\ntype List []int\n"})
	testkit.Eventually(t, patience, func() (bool, string) {
		ended := w.query(`SELECT left_out FROM sast_runs`)
		if len(ended) > 0 && strings.Contains(ended[0][0], "no sandbox") {
			t.Skip("the kernel offers no sandbox for programs")
		}
		return len(programs(t, waiting)) > 0, "the analyser does not run"
	})
	copies := func() []string {
		all, err := filepath.Glob(filepath.Join(temporary, "assay-*analyser-*"))
		must(t, err)
		return all
	}
	testkit.Equal(t, "folders with copies of code", len(copies()), 1)
	left := copies()[0]

	p.Signal(syscall.SIGKILL)
	p.Wait(patience)
	testkit.Eventually(t, patience, func() (bool, string) {
		ids := programs(t, waiting)
		return len(ids) == 0, fmt.Sprint("the analyser outlives the service: ", ids)
	})
	define(finding, `    input: tree
    command: [., -path, ./price/sum.go, -printf, '\173"tool":"lint","results":[\173"rule":"R1","level":"error","message":"The list is never used","path":"price/list.go","line":4\175]\175']
`)
	w.again()
	comments := w.reviewed(pr.Number, 1)[0].Comments
	if len(comments) != 1 || !strings.Contains(comments[0].Body, "The list is never used") {
		t.Errorf("comments: %+v", comments)
	}
	w.quiet()
	testkit.Equal(t, "reviews", len(w.reviewed(pr.Number, 1)), 1)
	if _, err := os.Stat(left); err == nil || len(copies()) > 0 {
		t.Errorf("copies of code stay: %v", copies())
	}

	// The program reads a file that did not change. A dry run of the pull request reads it, too.
	var made tried
	boss.as.Send(http.MethodPost, path+"/dry-runs", map[string]any{"pullRequests": []int{pr.Number}}, http.StatusAccepted, &made)
	testkit.Eventually(t, patience, func() (bool, string) {
		boss.as.Get(path+"/dry-runs/"+made.ID, &made)
		return made.State == "completed", "the dry run is " + made.State + " " + made.Reason
	})
	testkit.Equal(t, "completed, compared, gone, new", fmt.Sprint(made.Result.Totals.Completed, made.Result.Totals.Compared, made.Result.Totals.Gone,
		made.Result.Totals.New), "1 1 0 0")
	w.verify()
}
