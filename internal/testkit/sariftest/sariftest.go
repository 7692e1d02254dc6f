// Package sariftest checks SARIF documents against the official schema of SARIF 2.1.0, in tests.
package sariftest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // its source has the official schema
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// library is the package whose source has the schema. Its own check drops unknown properties first, so that it is not used.
const library = "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

// Valid fails the test unless a document follows the schema.
func Valid(t testing.TB, name string, document []byte) {
	t.Helper()
	if err := Check(document); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// Check returns how a document breaks the schema, or nil.
func Check(document []byte) error {
	schema, err := compiled()
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(document)))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// start is the folder of the test, inside the module. A test may leave it.
var start, _ = os.Getwd()

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	list := exec.Command("go", "list", "-f", "{{.Dir}}", library)
	list.Dir = start
	dir, err := list.Output()
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	text := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, err = strconv.Unquote(l.Value)
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", value); err != nil {
		return nil, err
	}
	return c.Compile("sarif.json")
})
