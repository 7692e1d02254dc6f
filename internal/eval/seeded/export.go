package seeded

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Export writes every case into a folder of its own below dir, named by its id:
// case.json, and the files before and after the change in base and head. Files
// that are there already are written over; nothing is removed.
func (s *Set) Export(dir string) error {
	for _, c := range s.cases {
		folder := filepath.Join(dir, c.ID)
		v := s.versions[c.ID]
		if err := write(filepath.Join(folder, "base"), v.base); err != nil {
			return err
		}
		if err := write(filepath.Join(folder, "head"), v.head); err != nil {
			return err
		}
		raw, err := json.MarshalIndent(c, "", "  ")
		if err != nil {
			return fmt.Errorf("write the case: %w", err)
		}
		if err := os.WriteFile(filepath.Join(folder, "case.json"), append(raw, '\n'), 0o600); err != nil {
			return fmt.Errorf("write the case: %w", err)
		}
	}
	return nil
}
