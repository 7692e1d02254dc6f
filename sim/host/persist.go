package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// State is everything that a simulated host stores, apart from git objects: a struct that embeds a
// [BaseState]. Its fields are exported for the state file, which is written atomically, at most once per
// second.
type State interface{ base() *BaseState }

// BaseState is the part of the state that all simulated hosts share.
type BaseState struct {
	Version      int
	ControlToken string
	NextID       map[string]int64
	Deliveries   []*Delivery // in the state file only

	firstIDs map[string]int64
}

// NewBaseState returns the state of a host with the version of its state file. Ids of a kind begin with
// firstIDs, or 1.
func NewBaseState(version int, firstIDs map[string]int64) BaseState {
	return BaseState{Version: version, NextID: map[string]int64{}, firstIDs: firstIDs}
}

func (st *BaseState) base() *BaseState { return st }

// ID returns a new id of a kind; [Server.Mu] must be held.
func (st *BaseState) ID(kind string) int64 {
	n, found := st.NextID[kind]
	if !found {
		n = max(1, st.firstIDs[kind])
	}
	st.NextID[kind] = n + 1
	return n
}

func (s *Server) stateFile() string { return filepath.Join(s.dir, "state.json") }

// load reads the state file into the state. Without a file the state stays unchanged.
func (s *Server) load() error {
	base := s.state.base()
	want := base.Version
	raw, err := os.ReadFile(s.stateFile())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("read the state file: %w", err)
	}
	if err := json.Unmarshal(raw, s.state); err != nil {
		return fmt.Errorf("the state file %s is damaged (%w): remove the data folder to start again", s.stateFile(), err)
	}
	if base.Version != want {
		return fmt.Errorf("the state file %s has version %d, this program needs %d: remove the data folder to start again", s.stateFile(),
			base.Version, want)
	}
	s.Sender.Restore(base.Deliveries)
	base.Deliveries = nil
	return nil
}

// save writes the state file.
func (s *Server) save() error {
	saved := s.Sender.Saved()
	s.Mu.Lock()
	base := s.state.base()
	base.Deliveries = saved
	raw, err := json.Marshal(s.state)
	base.Deliveries = nil
	s.Mu.Unlock()
	if err != nil {
		return fmt.Errorf("encode the state: %w", err)
	}
	tmp := s.stateFile() + ".new"
	if err := os.WriteFile(tmp, raw, 0o600); err != nil {
		return fmt.Errorf("write the state file: %w", err)
	}
	if err := os.Rename(tmp, s.stateFile()); err != nil {
		return fmt.Errorf("replace the state file: %w", err)
	}
	return nil
}

// Touch makes the server write the state file soon. Call it after every change of the state.
func (s *Server) Touch() {
	select {
	case s.dirty <- struct{}{}:
	default:
	}
}

// keep writes the state file after every Touch, until the simulator ends.
func (s *Server) keep() {
	for {
		select {
		case <-s.background.Done():
			return
		case <-s.dirty:
		}
		if err := s.save(); err != nil {
			s.Log.Error("state file", "error", err)
		}
		s.background.Wait(time.Second, nil)
	}
}
