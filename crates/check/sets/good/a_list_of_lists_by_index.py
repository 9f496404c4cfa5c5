grid = [[0] * 3 for _ in range(3)]
grid[2][2] = 5
board = [[1, 2], [3, 4]]
print(grid[2][2], board[1][1], board[-2][-2])
