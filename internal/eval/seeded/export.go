package seeded

import (
	"fmt"

	"github.com/assay-dev/assay/internal/eval/cases"
)

// Export writes every case into a folder of its own below dir, in the form that
// [cases.Folder] reads. Folders that are there already are not written over: the
// error names the first.
func (s *Set) Export(dir string) error {
	for _, c := range s.cases {
		v := s.versions[c.ID]
		if err := cases.Write(dir, c, v.base, v.head); err != nil {
			return fmt.Errorf("case %s: %w", c.ID, err)
		}
	}
	return nil
}
