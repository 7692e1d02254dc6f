package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// attributes puts a child into its own process group, under the account cred (nil: ours), and makes the kernel
// send it sig when this process dies.
func attributes(cred *syscall.Credential, sig syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: cred, Pdeathsig: sig}
}

// launcher is the only thread that starts children. The kernel binds the death signal to the parent's thread,
// not to its process (prctl(2), PR_SET_PDEATHSIG), so that thread must last as long as the process.
var launcher = sync.OnceValue(func() chan<- func() {
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job()
		}
	}()
	return jobs
})

func start(cmd *exec.Cmd) error {
	err := make(chan error, 1)
	launcher() <- func() { err <- cmd.Start() }
	return <-err
}

// children returns the direct children of a process.
func children(pid int) []int {
	var out []int
	files, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		for _, s := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(s); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// alive reports whether a process runs: it exists, and is not a zombie that waits for its parent (state Z,
// proc_pid_stat(5)).
func alive(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(state, "Z")
}

// threadTime returns the processor time of the calling thread.
func threadTime() time.Duration {
	const self = 1 // RUSAGE_THREAD of getrusage(2), which package syscall does not name
	var u syscall.Rusage
	if err := syscall.Getrusage(self, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
