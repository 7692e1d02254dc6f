package fixrun

import (
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/wording"
)

// sentence returns why a finding has no fix, in the words of the reader.
func sentence(words wording.Words, o fix.Outcome) markdown.Text { return o.Reason.Sentence(words) }
