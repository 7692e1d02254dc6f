package seeded

import (
	"fmt"

	"github.com/assay-dev/assay/internal/eval/cases"
)

// Export writes every case into a separate folder below dir, in the form that [cases.Folder] reads. It
// overwrites no folders: the error names the first existing one.
func (s *Set) Export(dir string) error {
	for _, c := range s.cases {
		v := s.versions[c.ID]
		if err := cases.Write(dir, c, v.base, v.head); err != nil {
			return fmt.Errorf("case %s: %w", c.ID, err)
		}
	}
	return nil
}
