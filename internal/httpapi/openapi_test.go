package httpapi

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the generated files")

// TestDescriptionFile keeps api/openapi.json in step with the route table.
func TestDescriptionFile(t *testing.T) {
	t.Parallel()
	got, err := OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "api", "openapi.json")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatal("api/openapi.json differs from the route table: run `go generate ./internal/httpapi`")
	}
}
