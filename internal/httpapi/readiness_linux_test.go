package httpapi_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A service with a full disk refuses deliveries and is therefore not ready, although its database answers.
func TestAFullDiskIsNotReady(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("assay-test", disk, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	path := filepath.Join(disk, "assay.db")
	copied(t, storetest.FileAt(t), path)
	s := storetest.Open(t, path)
	w := newWorld(t, s)
	ready := func() (int, httpapi.Readiness) {
		t.Helper()
		got := w.call(anonymous, "GET", "/readyz", "")
		var body httpapi.Readiness
		must(t, json.Unmarshal([]byte(got.body), &body))
		return got.status, body
	}
	status, _ := ready()
	testkit.Require(t, "before", status, 200)
	fill(t, filepath.Join(disk, "ballast"))
	_, err := s.Ingest(t.Context(), store.NewDelivery{Source: w.App.ID, GUID: "g", Event: "push", SHA256: "x", Payload: make([]byte, 256<<10), FairKey: "f"})
	if err == nil {
		t.Fatal("a delivery was stored on a full disk")
	}
	status, body := ready()
	testkit.Equal(t, "status", status, 503)
	testkit.Equal(t, "readiness", body.Status, "down")
	testkit.Equal(t, "check", body.Checks[0].Name, "database")
	testkit.Equal(t, "database ok", body.Checks[0].OK, false)
}

// copied copies a file.
func copied(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, data, 0o600))
}

// fill writes to a file until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	for block := make([]byte, 4096); ; {
		if _, err := f.Write(block); errors.Is(err, syscall.ENOSPC) || errors.Is(err, io.ErrShortWrite) {
			return
		} else {
			must(t, err)
		}
	}
}
