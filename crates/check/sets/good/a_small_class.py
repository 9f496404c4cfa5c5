class Account:
    interest = 0.02

    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
        self.history.append(("deposit", amount))
        return self

    def __repr__(self):
        return f"Account({self.owner!r}, {self.balance})"


account = Account("Ada").deposit(10).deposit(5)
[repr(account), account.history, Account.interest]
