package github

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const stateVersion = 1

// maxSavedDeliveries bounds the state file: payloads are by far its largest part.
const maxSavedDeliveries = 200

func (s *Server) statePath() string { return filepath.Join(s.opt.DataDir, "state.json") }

// load reads the state file, or starts with an empty state.
func (s *Server) load() error {
	s.st = newState()
	raw, err := os.ReadFile(s.statePath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.st.TokenKey = make([]byte, 32)
		_, _ = rand.Read(s.st.TokenKey) // never fails (crypto/rand)
		return nil
	case err != nil:
		return fmt.Errorf("read the state file: %w", err)
	}
	if err := json.Unmarshal(raw, s.st); err != nil {
		return fmt.Errorf("the state file %s is damaged (%w): remove the data folder to start anew", s.statePath(), err)
	}
	if s.st.Version != stateVersion {
		return fmt.Errorf("the state file %s has version %d, this program needs %d: remove the data folder to start anew", s.statePath(), s.st.Version, stateVersion)
	}
	for _, r := range s.st.Repos {
		s.openRepo(r)
	}
	for _, d := range s.st.Deliveries {
		if !d.Done { // the process ended while it was under way
			d.Done, d.Status = true, "failed to connect to host"
		}
	}
	return nil
}

// save writes the state file in one step.
func (s *Server) save() error {
	s.mu.Lock()
	kept := *s.st
	kept.Deliveries = kept.Deliveries[max(0, len(kept.Deliveries)-maxSavedDeliveries):]
	raw, err := json.Marshal(&kept)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("encode the state: %w", err)
	}
	tmp := s.statePath() + ".new"
	if err := os.WriteFile(tmp, raw, 0o600); err != nil {
		return fmt.Errorf("write the state file: %w", err)
	}
	if err := os.Rename(tmp, s.statePath()); err != nil {
		return fmt.Errorf("replace the state file: %w", err)
	}
	return nil
}

// saver writes the state file at most once per second, until the server is closed.
func (s *Server) saver() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.dirty:
		}
		if err := s.save(); err != nil {
			s.log.Error("state file", "error", err)
		}
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}
