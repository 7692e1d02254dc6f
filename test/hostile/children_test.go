package hostile

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// family returns the resident memory of a process and all its descendants in MiB, as reported by the
// kernel; 0 on other systems.
func family(pid int) int {
	sum := 0
	if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
		if f := strings.Fields(string(b)); len(f) > 1 {
			pages, _ := strconv.Atoi(f[1])
			sum = pages * os.Getpagesize() >> 20
		}
	}
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks { // the kernel lists children under the thread that started them
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for child := range strings.FieldsSeq(string(b)) {
			if id, err := strconv.Atoi(child); err == nil {
				sum += family(id)
			}
		}
	}
	return sum
}
