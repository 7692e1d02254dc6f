package diff

import (
	"strings"
	"testing"
)

const notebookFile = `{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Title\n",
    "Text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "metadata": {"tags": ["source"]},
   "outputs": [
    {
     "data": {
      "image/png": "iVBORw0KGgo=",
      "text/plain": ["secret", "source"]
     }
    }
   ],
   "source": [
    "import os\n",
    "os.system(\"rm -rf \" + name)"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4
}
`

func TestNotebook(t *testing.T) {
	t.Parallel()
	got, ok := Notebook([]byte(notebookFile))
	lines := got.Lines
	if !ok || len(lines) != strings.Count(notebookFile, "\n")+1 {
		t.Fatalf("%v, %d lines", ok, len(lines))
	}
	want := map[int]string{4: "# cell: markdown", 7: "# Title", 8: "Text", 12: "# cell: code", 24: "import os", 25: `os.system("rm -rf " + name)`}
	for i, l := range lines {
		if l != want[i+1] {
			t.Errorf("line %d is %q, want %q", i+1, l, want[i+1])
		}
	}
	for i, hidden := range got.Hidden {
		if want := i+1 == 14 || i+1 == 18 || i+1 == 19; hidden != want {
			t.Errorf("line %d is hidden: %v", i+1, hidden)
		}
	}
	for _, other := range []string{"", "{}", "[]", "no", notebookFile[:300], `{"cells": [{"cell_type": "code", "source": ["a\n", "b"]}]}`, `{"cells": [{"source": "a\nb"}]}`, strings.Repeat("[", 100_000), `{"cells": [}`} {
		if _, ok := Notebook([]byte(other)); ok {
			t.Errorf("%.60q counts as a notebook in lines", other)
		}
	}
}

func FuzzNotebook(f *testing.F) {
	f.Add([]byte(notebookFile))
	f.Fuzz(func(t *testing.T, content []byte) {
		if cells, ok := Notebook(content); ok && (len(cells.Lines) != strings.Count(string(content), "\n")+1 || len(cells.Hidden) != len(cells.Lines)) {
			t.Error("the lines are not those of the file")
		}
	})
}
