package review_test

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/sandbox"
	"github.com/assay-dev/assay/internal/testkit"
)

// children starts the child processes of analysers.
var children *sandbox.Launcher

func TestMain(m *testing.M) {
	children = sandbox.Enter(map[string]sandbox.Work{analysers.ReadWork: analysers.Serve})
	testkit.Main(m)
}

var bg = context.Background()
