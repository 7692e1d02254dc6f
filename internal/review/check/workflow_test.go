package check

import (
	"fmt"
	"strings"
	"testing"
)

// Workflows are compared by meaning: aliases and merge keys are resolved, and absent keys count.
func TestWorkflowsByMeaning(t *testing.T) {
	t.Parallel()
	const limited = "on: push\npermissions: {contents: read}\njobs:\n  a:\n    steps: []\n"
	const checkout = "      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n"
	for name, tt := range map[string]struct{ before, after, want string }{
		"alias of a block":                                {limited, limited + "    permissions: *p\nx: &p {packages: write}\n", ""}, // an alias before its anchor has no meaning
		"alias of an earlier block":                       {limited, "x: &p\n  contents: write\n" + limited + "    permissions: *p\n", "assay/ci-permissions@8-8/line/high"},
		"alias of one value":                              {limited, "x: &p write\n" + limited + "    permissions:\n      contents: *p\n", "assay/ci-permissions@8-8/line/high"},
		"alias of a whole job":                            {limited, limited + "  b: &j\n    permissions: write-all\n  c: *j\n", "assay/ci-permissions@7-7/line/high assay/ci-permissions@8-8/line/high"},
		"only the alias is new":                           {"x: &p {contents: write}\n" + limited, "x: &p {contents: write}\n" + limited + "    permissions: *p\n", "assay/ci-permissions@7-7/line/high"},
		"an anchor becomes wider":                         {"x: &p {contents: read}\n" + limited + "    permissions: *p\n", "x: &p {contents: write}\n" + limited + "    permissions: *p\n", "assay/ci-permissions@7-7/line/high"},
		"merged block":                                    {limited, "x: &p {id-token: write}\n" + limited + "    permissions:\n      <<: *p\n      contents: read\n", "assay/ci-permissions@8-8/line/high"},
		"merged blocks of a list":                         {limited, "x: &p {issues: write}\ny: &q {pages: write}\n" + limited + "    permissions:\n      <<: [*p, *q]\n", "assay/ci-permissions@9-9/line/medium assay/ci-permissions@9-9/line/medium"},
		"merged into a job":                               {limited, "x: &p {permissions: write-all}\n" + limited + "    <<: *p\n", "assay/ci-permissions@7-7/line/high"},
		"a key beats a merged key":                        {limited, "x: &p {contents: write}\n" + limited + "    permissions:\n      <<: *p\n      contents: read\n", ""},
		"key by an alias":                                 {limited, "x: &k contents\n" + limited + "    permissions:\n      *k : write\n", "assay/ci-permissions@8-8/line/high"},
		"trigger by an alias":                             {"", "x: &t pull_request_target\non: [*t]\njobs:\n  a:\n    steps:\n" + checkout, "assay/ci-untrusted-checkout@8-8/line/critical"},
		"step by an alias":                                {"", "on: pull_request_target\nx:\n  - &s {uses: actions/checkout@v4, with: {ref: \"${{ github.head_ref }}\"}}\njobs:\n  a:\n    steps: [*s]\n", "assay/ci-untrusted-checkout@6-6/line/critical"},
		"steps by an alias":                               {"", "on: workflow_run\nx: &s\n" + checkout + "jobs:\n  a:\n    steps: *s\n", "assay/ci-untrusted-checkout@8-8/line/critical"},
		"ref by an alias":                                 {"", "on: pull_request_target\nx: &r ${{ github.head_ref }}\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n        with: {ref: *r}\n", "assay/ci-untrusted-checkout@7-7/line/critical"},
		"action by an alias":                              {"", "on: pull_request_target\nx: &c actions/checkout@v4\njobs:\n  a:\n    steps:\n      - uses: *c\n        with: {ref: \"${{ github.head_ref }}\"}\n", "assay/ci-untrusted-checkout@7-7/line/critical"},
		"the block is gone":                               {limited, strings.Replace(limited, "permissions: {contents: read}\n", "", 1), "assay/ci-permissions@2-2/line/high"},
		"the block has no value now":                      {limited, strings.Replace(limited, "{contents: read}", "", 1), "assay/ci-permissions@2-2/line/high"},
		"the block moved to the job":                      {limited, "on: push\njobs:\n  a:\n    permissions: {contents: read}\n    steps: []\n", ""},
		"one job of two has it now":                       {limited, "on: push\njobs:\n  a:\n    permissions: {contents: read}\n    steps: []\n  b:\n    steps: []\n", "assay/ci-permissions@2-2/line/high"},
		"the job's block is gone":                         {"on: push\njobs:\n  a:\n    permissions: {}\n    steps: []\n", "on: push\njobs:\n  a:\n    steps: []\n", "assay/ci-permissions@4-4/line/high"},
		"the job's block is gone, the workflow restricts": {limited + "    permissions: {}\n", limited, ""},
		"the job's block is gone, the workflow may write": {"permissions: {pages: write}\njobs:\n  a:\n    permissions: {}\n    steps: []\n", "permissions: {pages: write}\njobs:\n  a:\n    steps: []\n", "assay/ci-permissions@4-4/line/medium"},
		"everything was allowed":                          {"on: push\npermissions: write-all\njobs:\n  a:\n    steps: []\n", "on: push\njobs:\n  a:\n    steps: []\n", ""},
		"no permissions before":                           {"on: push\njobs:\n  a:\n    steps: []\n", "on: [push]\njobs:\n  a:\n    steps: []\n", ""},
		"no job is left":                                  {limited, "on: push\njobs: {}\n", ""},
		"an alias of itself":                              {"", "on: &x [*x]\npermissions: &p {<<: *p, contents: read}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := summary(run(t, workflowFile, tt.before, tt.after)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Aliases that expand to more than memory holds are not followed, and the review reports this.
func TestWorkflowBombs(t *testing.T) {
	t.Parallel()
	var laughs, merges strings.Builder
	laughs.WriteString("a0: &a0 [x]\n")
	merges.WriteString("m0: &m0 {k: v}\n")
	for i := range 40 {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
		fmt.Fprintf(&merges, "m%d: &m%d {<<: [*m%d, *m%d]}\n", i+1, i+1, i, i)
	}
	steps := "s: &s [" + strings.TrimSuffix(strings.Repeat("{run: x}, ", 2000), ", ") + "]\njobs:\n"
	for i := range 1000 {
		steps += fmt.Sprintf("  j%d: {steps: *s}\n", i)
	}
	for name, tt := range map[string]struct{ text, why string }{
		"lists of lists":   {laughs.String() + "on: *a40\njobs:\n  a:\n    steps: *a40\n", ""}, // only as deep as a workflow nests
		"merges of merges": {merges.String() + "permissions: *m40\n", WhyWorkflow},
		"jobs of steps":    {steps, WhyWorkflow},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if res := run(t, workflowFile, "", tt.text); res.Unread[workflowFile] != tt.why {
				t.Errorf("unread: %q, found %s", res.Unread, summary(res))
			}
		})
	}
}
