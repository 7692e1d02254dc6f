package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// StateFile is the JSON file in which a simulator remembers everything but git objects. It is written at most once per
// second, in one step.
type StateFile struct {
	// Dir is the data folder.
	Dir   string
	dirty chan struct{}
}

// NewStateFile makes one; Dir must exist.
func NewStateFile(dir string) *StateFile { return &StateFile{Dir: dir, dirty: make(chan struct{}, 1)} }

func (f *StateFile) path() string { return filepath.Join(f.Dir, "state.json") }

// Load reads the file into state; found is false when there is none yet. version points at the version inside of state,
// which has to be want.
func (f *StateFile) Load(state any, version *int, want int) (found bool, err error) {
	raw, err := os.ReadFile(f.path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read the state file: %w", err)
	}
	if err := json.Unmarshal(raw, state); err != nil {
		return false, fmt.Errorf("the state file %s is damaged (%w): remove the data folder to start anew", f.path(), err)
	}
	if *version != want {
		return false, fmt.Errorf("the state file %s has version %d, this program needs %d: remove the data folder to start anew", f.path(), *version, want)
	}
	return true, nil
}

// Save writes the file.
func (f *StateFile) Save(raw []byte) error {
	tmp := f.path() + ".new"
	if err := os.WriteFile(tmp, raw, 0o600); err != nil {
		return fmt.Errorf("write the state file: %w", err)
	}
	if err := os.Rename(tmp, f.path()); err != nil {
		return fmt.Errorf("replace the state file: %w", err)
	}
	return nil
}

// Touch asks for the file to be written soon.
func (f *StateFile) Touch() {
	select {
	case f.dirty <- struct{}{}:
	default:
	}
}

// Keep writes the file whenever it was touched, until the simulator ends.
func (f *StateFile) Keep(bg *Background, save func() error, log *slog.Logger) {
	for {
		select {
		case <-bg.Done():
			return
		case <-f.dirty:
		}
		if err := save(); err != nil {
			log.Error("state file", "error", err)
		}
		bg.Wait(time.Second, nil)
	}
}
