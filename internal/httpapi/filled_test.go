package httpapi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store/storetest"
)

// notRows lists the lists without a table, with their source.
var notRows = map[string]string{
	"/api/analysers":                                           "the configuration of the process",
	inInstance + "/llm-prices":                                 "a document",
	inInstance + "/setup-state":                                "questions about the state",
	inTenant + "/llm-prices":                                   "a document",
	inTenant + "/inbox":                                        "parts of other lists",
	inTenant + "/llm-credentials/{credentialId}/models":        "the provider is asked",
	inTenant + "/llm-credentials/{credentialId}/model-prices":  "the provider is asked",
	inTenant + "/repositories/{repositoryId}/feature-settings": "the policy in force",
	inTenant + "/provider-connections/{connectionId}/accounts": "the host is asked",
	inTenant + "/repositories/{repositoryId}/code-search":      "ranked places of the code index",
	"/auth/providers":                                          "apps and identity providers",
}

// rowsOf has the tables of lists with another name.
var rowsOf = map[string]string{
	inInstance + "/audit":                                                    "audit_entries",
	inInstance + "/codehost-apps":                                            "apps",
	inInstance + "/dead-letters":                                             "jobs",
	inInstance + "/deliveries":                                               "webhook_deliveries",
	"/api/me/tenants/{tenantId}/host-accounts":                               "host_account_links",
	inTenant + "/members/{userId}/host-accounts":                             "host_account_links",
	"/api/me/tenants":                                                        "memberships",
	inTenant + "/analytics/costs":                                            "llm_calls",
	inTenant + "/analytics/teams":                                            "analytics_teams",
	inTenant + "/approvals":                                                  "outputs",
	inTenant + "/repositories/{repositoryId}/rules/proposals":                "rule_proposals",
	inTenant + "/audit":                                                      "audit_entries",
	inTenant + "/mcp-calls":                                                  "assistant_calls",
	inTenant + "/members":                                                    "memberships",
	inTenant + "/notification-channels/{channelId}/deliveries":               "notification_deliveries",
	inTenant + "/mcp-servers/{serverId}/calls":                               "mcp_calls",
	inTenant + "/repositories/{repositoryId}/analytics/costs":                "llm_calls",
	inTenant + "/repositories/{repositoryId}/approvals":                      "outputs",
	inTenant + "/repositories/{repositoryId}/review-runs/{runId}/tool-calls": "run_tool_calls",
	inTenant + "/repositories/{repositoryId}/review-runs/{runId}/diff":       "run_diff_files",
	inTenant + "/repositories/{repositoryId}/review-runs/{runId}/dropped":    "run_dropped",
	inTenant + "/repositories/{repositoryId}/review-runs/{runId}/context":    "run_context",
	inTenant + "/repositories/{repositoryId}/review-runs/{runId}/outputs":    "outputs",
	inTenant + "/repositories/{repositoryId}/review-runs/{runId}/writes":     "write_attempts",
	inTenant + "/repositories/{repositoryId}/assignment/workload":            "review_requests",
	inTenant + "/repositories/{repositoryId}/calibration":                    "calibrations",
	inTenant + "/repositories/{repositoryId}/code-index":                     "code_indexes",
	inTenant + "/repositories/{repositoryId}/links":                          "repository_links",
	inTenant + "/repositories/{repositoryId}/rules/effective":                "rules",
}

// TestUnfilledListsSaySo: a list whose table only tests write is marked in the route table, and a marked list
// has no other writer.
func TestUnfilledListsSaySo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	source, doc := readSource(t), liveDescription(t)
	if source.used["AddRecord"] {
		t.Error("a feature adds records without a method of the store, so that their tables count as unfilled here")
	}
	lists := 0
	for path, item := range doc.Paths {
		if item.Get == nil || item.Get.Responses["200"] == nil || notRows[path] != "" {
			continue
		}
		media := item.Get.Responses["200"].Content["application/json"]
		isList := media != nil && resolve(doc, media.Schema).Properties["items"] != nil
		mark, marked := item.Get.Extensions["x-filled"]
		if !isList && rowsOf[path] == "" && !marked {
			continue
		}
		lists++
		t.Run(path, func(t *testing.T) {
			table := rowsOf[path]
			if table == "" {
				table = strings.ReplaceAll(path[strings.LastIndexByte(path, '/')+1:], "-", "_")
			}
			if strings.HasSuffix(path, "}") { // an item of a list
				return
			}
			if !source.tables[table] {
				t.Fatalf("there is no table %s: name the one behind the list in rowsOf, or name its source in notRows", table)
			}
			written := source.written(table)
			switch {
			case !marked && !written:
				t.Errorf("only tests write the table %s: mark the list with unfilled(…) in the route table", table)
			case marked && written:
				t.Errorf("the service writes the table %s: remove the mark unfilled(…)", table)
			case marked && mark != false:
				t.Errorf("x-filled is %v", mark)
			}
			permission, _ := item.Get.Extensions["x-permission"].(string)
			got := w.call(w.allowed(permission), "GET", pathParam.ReplaceAllString(w.fillPath(path), "some-id"), "").header.Get("X-Filled")
			if want := map[bool]string{true: "false"}[marked]; got != want {
				t.Errorf("X-Filled %q, want %q", got, want)
			}
		})
	}
	if lists < 40 {
		t.Errorf("only %d lists were found", lists)
	}
}

// source is the use of tables in the source code of the service.
type source struct {
	tables  map[string]bool
	inserts map[string][]string // by function of the store: the tables it inserts into
	calls   map[string][]string // by function of the store: names that it uses
	used    map[string]bool     // names that packages other than the store use, except tests
}

var (
	inserting   = regexp.MustCompile(`INSERT (?:OR \w+ )?INTO ([a-z_]+)`)
	makingTable = regexp.MustCompile(`CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)`)
)

// readSource reads the packages of the service, without code that only tests use.
func readSource(t *testing.T) source {
	t.Helper()
	s := source{tables: map[string]bool{}, inserts: map[string][]string{}, calls: map[string][]string{}, used: map[string]bool{}}
	migrations, err := filepath.Glob("../store/migrations/sqlite/*.sql")
	must(t, err)
	for _, file := range migrations {
		raw, err := os.ReadFile(file)
		must(t, err)
		for _, m := range makingTable.FindAllStringSubmatch(string(raw), -1) {
			s.tables[m[1]] = true
		}
	}
	constants := map[string]string{}
	var functions []*ast.FuncDecl
	for _, root := range []string{"..", "../../cmd"} {
		must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || forTests(path) {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			must(t, err)
			if !strings.HasPrefix(path, "../store/") {
				ast.Inspect(file, func(n ast.Node) bool {
					if sel, ok := n.(*ast.SelectorExpr); ok {
						s.used[sel.Sel.Name] = true
					}
					return true
				})
				return nil
			}
			for _, decl := range file.Decls {
				switch decl := decl.(type) {
				case *ast.FuncDecl:
					functions = append(functions, decl)
				case *ast.GenDecl:
					for _, spec := range decl.Specs {
						if v, ok := spec.(*ast.ValueSpec); ok {
							for _, name := range v.Names {
								constants[name.Name] += texts(v)
							}
						}
					}
				}
			}
			return nil
		}))
	}
	tables := map[string]string{} // by type of a record
	for _, f := range functions {
		if m := recordTable.FindString(texts(f)); f.Name.Name == "table" && f.Recv != nil && m != "" {
			tables[types(f.Recv.List[0].Type)] = m
		}
	}
	for _, f := range functions {
		name, text := f.Name.Name, texts(f)
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id != f.Name {
				text += "\n" + constants[id.Name]
				s.calls[name] = append(s.calls[name], id.Name)
			}
			return true
		})
		for _, m := range inserting.FindAllStringSubmatch(text, -1) {
			s.inserts[name] = append(s.inserts[name], m[1])
		}
		if table := recordOf(f, tables); table != "" {
			s.inserts[name] = append(s.inserts[name], table)
		}
	}
	return s
}

// recordTable matches the name of a table at the beginning of a text.
var recordTable = regexp.MustCompile(`^[a-z_]+`)

// recordOf returns the table of the record that a function stores by AddRecord, or "" if it stores none.
func recordOf(f *ast.FuncDecl, tables map[string]string) (table string) {
	adds := false
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		adds = adds || ok && id.Name == "AddRecord"
		return true
	})
	for _, p := range f.Type.Params.List {
		if at := tables[types(p.Type)]; adds && at != "" {
			table = at
		}
	}
	return table
}

// types returns the name of a type, or of the type that a pointer points to.
func types(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return ""
	}
	return id.Name
}

// forTests reports whether a file is only for tests.
func forTests(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.Dir(path), "/"), func(part string) bool { return strings.HasSuffix(part, "test") || part == "testkit" })
}

// texts returns the string literals below a node, one per line.
func texts(n ast.Node) string {
	var out strings.Builder
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ := strconv.Unquote(lit.Value)
			out.WriteString(text + "\n")
		}
		return true
	})
	return out.String()
}

// written reports whether the service calls, directly or indirectly, a function of the store that inserts
// into a table.
func (s source) written(table string) bool {
	var reach []string
	for name, tables := range s.inserts {
		if slices.Contains(tables, table) {
			reach = append(reach, name)
		}
	}
	for i := 0; i < len(reach); i++ {
		if s.used[reach[i]] {
			return true
		}
		for caller, names := range s.calls {
			if slices.Contains(names, reach[i]) && !slices.Contains(reach, caller) {
				reach = append(reach, caller)
			}
		}
	}
	return false
}
