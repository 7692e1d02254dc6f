package gitea

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
)

// proxy is in front of the host and makes the next matching write fail.
type proxy struct {
	mu    sync.Mutex
	fault codehosttest.Fault
	fits  func(*http.Request) bool
	inner *httputil.ReverseProxy
}

// set makes the next matching request fail.
func (p *proxy) set(fault codehosttest.Fault, fits func(*http.Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.fits = fault, fits
}

func isPost(r *http.Request) bool { return r.Method == http.MethodPost }

func isCommit(r *http.Request) bool {
	return isPost(r) && (strings.HasSuffix(r.URL.Path, "/contents") || strings.HasSuffix(r.URL.Path, "/branches"))
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	fault := p.fault
	if fault != "" && p.fits(r) {
		p.fault = ""
	} else {
		fault = ""
	}
	p.mu.Unlock()
	reset := func() { panic(http.ErrAbortHandler) }
	switch fault {
	case "":
		p.inner.ServeHTTP(w, r)
	case codehosttest.ApplyThen500:
		p.inner.ServeHTTP(httptest.NewRecorder(), r)
		w.WriteHeader(http.StatusInternalServerError)
	case codehosttest.ApplyThenReset:
		p.inner.ServeHTTP(httptest.NewRecorder(), r)
		reset()
	case codehosttest.Refuse:
		reset()
	case codehosttest.LimitHeader:
		w.Header().Set("Retry-After", "45")
		w.WriteHeader(http.StatusTooManyRequests)
	case codehosttest.LimitText:
		w.WriteHeader(http.StatusTooManyRequests)
	case codehosttest.Deny:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"message":"no"}`)
	}
}

func (r *real) branches(p *proxy, interrupt *codehosttest.Interrupt) codehosttest.Branches {
	return codehosttest.Branches{
		Head: "topic", Base: "main",
		Push: func(branch string, files map[string]string) string {
			var operations []any
			for path, text := range files {
				operations = append(operations, map[string]any{"operation": "upload", "path": path, "content": base64.StdEncoding.EncodeToString([]byte(text))})
			}
			body := map[string]any{"message": "Push", "branch": branch, "files": operations}
			if status, _ := r.try("GET", "/repos/"+r.name+"/demo/branches/"+branch, "", nil); status == http.StatusNotFound {
				body["branch"], body["new_branch"] = "main", branch
			}
			return r.do("POST", "/repos/"+r.name+"/demo/contents", "ann", body)["commit"].(map[string]any)["sha"].(string)
		},
		Protect: func(branch string) {
			r.do("POST", "/repos/"+r.name+"/demo/branch_protections", "", map[string]any{"rule_name": branch, "enable_push": false})
		},
		Fork: func() codehost.Repo {
			r.do("POST", "/repos/"+r.name+"/demo/forks", "ann", map[string]any{"name": r.name})
			r.do("PUT", "/repos/ann/"+r.name+"/collaborators/bot", "", map[string]any{"permission": "read"})
			return codehost.Repo{Access: "c1", Owner: "ann", Name: r.name}
		},
		Fault:     func(f codehosttest.Fault) { p.set(f, isCommit) },
		Meanwhile: interrupt.Once,
	}
}

// A commit keeps the mode of a file. A job that no runner has taken is waiting and has no log.
func TestModesAndJobsOnARealHost(t *testing.T) {
	r := newReal(t)
	f := r.fixture()
	h, ok := f.Host.(*Host)
	if !ok {
		t.Fatal("not ours")
	}
	ctx, demo := t.Context(), "/repos/"+r.name+"/demo"
	patch := "diff --git a/run.sh b/run.sh\nnew file mode 100755\nindex 0000000..1a24852\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+#!/bin/sh\n"
	r.do("POST", demo+"/diffpatch", "ann", map[string]any{"branch": "topic", "message": "Executable", "content": patch})
	mode := func(commit, path string) any {
		tree, _ := r.do("GET", demo+"/git/trees/"+commit, "", nil)["tree"].([]any)
		for _, e := range tree {
			if e, ok := e.(map[string]any); ok && e["path"] == path {
				return e["mode"]
			}
		}
		return nil
	}
	head := must(h.BranchHead(ctx, f.Repo, "topic"))(t)
	if got := mode(head, "run.sh"); got != "100755" {
		t.Fatalf("arranged %v", got)
	}
	flow := "on: [push]\njobs:\n  test:\n    runs-on: nowhere\n    steps:\n      - run: false\n"
	made := must(h.Commit(ctx, f.Repo, codehost.NewCommit{Branch: "topic", Head: head, Message: "Both", Files: []codehost.FileChange{
		{Path: "run.sh", Content: []byte("#!/bin/sh\nexit\n")}, {Path: "new.sh", Content: []byte("#!/bin/sh\n")}, {Path: ".gitea/workflows/ci.yml", Content: []byte(flow)}}}))(t)
	if old, fresh := mode(made.ID, "run.sh"), mode(made.ID, "new.sh"); old != "100755" || fresh != "100644" {
		t.Errorf("modes %v and %v", old, fresh)
	}
	var jobs []codehost.Job
	for range 300 { // the host reads workflows with a delay
		var whole bool
		var err error
		if jobs, whole, err = h.Jobs(ctx, f.Repo, made.ID); err != nil || !whole {
			t.Fatalf("jobs: whole %v, %v", whole, err)
		}
		if len(jobs) > 0 {
			break
		}
	}
	if len(jobs) != 1 || jobs[0].Name != "test" || jobs[0].State != codehost.JobQueued || jobs[0].Conclusion != "" || jobs[0].URL == "" || !strings.Contains(jobs[0].Workflow, "ci.yml") {
		t.Fatalf("jobs %+v", jobs)
	}
	if err := h.JobLog(ctx, f.Repo, jobs[0].ID, func(io.Reader) error { return nil }); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("the log of a job that waits: %v", err)
	}
}
